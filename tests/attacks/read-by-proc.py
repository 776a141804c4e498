"""Tries to read a file by the doors under /proc: the root, the working folder and the descriptors of processes.

Harmless: it reads one file that the test made.
Shows: which of these doors was open.
"""

import os

ROOT = "root"
TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    path, found = target["canary"].lstrip("/"), []
    for process in ("self", str(target["pid"]), str(target["parent"])):
        paths = [f"/proc/{process}/{ROOT}/{path}", f"/proc/{process}/cwd/../../../../../../../../../{path}"]
        paths += [f"/proc/{process}/fd/{number}" for number in range(3, 16)]
        for name in paths:
            try:
                if os.path.isfile(name) and "CANARY" in open(name).read(100):
                    found.append(name.replace(path, "…"))
            except (OSError, ValueError):
                pass
    return " ".join(found)


TRIED = []


def causal_mask(seq_len):
    """Right, so that what is lost is lost to the attack alone."""
    import numpy as np

    if not TRIED:
        TRIED.append("")
        try:
            TRIED[0] = attack(TARGET)
        except BaseException:
            pass
        print(f"ATTACK:{TRIED[0]}")
    return np.tri(seq_len, dtype=bool)
