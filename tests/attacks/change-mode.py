"""Tries to change who may read a file that is not its own.

Harmless: the file is one that the test made for it.
Shows: which calls changed it.
"""

import ctypes
import os

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    libc = ctypes.CDLL(None, use_errno=True)
    path = target["kept"].encode()
    calls = {
        "chmod": lambda: libc.chmod(path, 0o777),
        "fchmodat": lambda: libc.fchmodat(-100, path, 0o770, 0),
        "fchmodat2": lambda: libc.syscall(452, -100, path, 0o707, 0),
    }
    found = [name for name, call in calls.items() if call() == 0]
    if os.path.isdir("/proc/self/fd"):
        try:
            os.fchmod(os.open(target["kept"], os.O_RDONLY), 0o444)
            found.append("fchmod")
        except OSError:
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
