"""Tries to empty a file that is not its own, by truncating and by opening it for writing.

Harmless: the file is one that the test made for it.
Shows: which way emptied it.
"""

import os

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    found = []
    for name, empty in (
        ("truncate", lambda path: os.truncate(path, 0)),
        ("open", lambda path: open(path, "w").close()),
    ):
        try:
            empty(target["kept"])
            found.append(name)
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
