"""Tries to change whose a file is that is not its own.

Harmless: the owner is set to what it is, on a file that the test made for it.
Shows: which calls were let through.
"""

import ctypes
import os

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    libc = ctypes.CDLL(None, use_errno=True)
    path, user, group = target["kept"].encode(), os.getuid(), os.getgid()
    calls = {
        "chown": lambda: libc.chown(path, user, group),
        "lchown": lambda: libc.lchown(path, user, group),
        "fchownat": lambda: libc.fchownat(-100, path, user, group, 0),
    }
    return " ".join(name for name, call in calls.items() if call() == 0)


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
