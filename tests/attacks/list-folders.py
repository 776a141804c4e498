"""Tries to see what there is: the user's folder, the course, the temporary folder with others' work in it.

Harmless: it lists folders, and keeps nothing of what is in them.
Shows: which folders could be listed.
"""

import os
import pathlib

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    found = []
    for name in ("home", "course", "folder"):
        for see in (os.listdir, lambda path: [*os.scandir(path)], lambda path: [*pathlib.Path(path).iterdir()]):
            try:
                see(target[name])
                found.append(name)
                break
            except OSError:
                pass
    for name in ("..", "/", "/tmp", "/etc", "/proc"):
        try:
            os.listdir(name)
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
