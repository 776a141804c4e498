"""Tries to read a file by NumPy's own readers.

Harmless: it reads one file that the test made.
Shows: which of these doors was open.
"""

import numpy as np

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    path = target["canary"]
    doors = {
        "fromfile": lambda: np.fromfile(path, dtype="u1"),
        "memmap": lambda: np.memmap(path, dtype="u1", mode="r"),
        "genfromtxt": lambda: np.atleast_1d(np.genfromtxt(path, dtype=str)),
        "loadtxt": lambda: np.atleast_1d(np.loadtxt(path, dtype=str)),
        "fromregex": lambda: np.fromregex(path, "(C)", [("c", "U1")]),
    }
    found = []
    for name, door in doors.items():
        try:
            if len(door()):
                found.append(name)
        except Exception:
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
