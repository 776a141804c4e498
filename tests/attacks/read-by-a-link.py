"""Tries to read a file by symbolic links that it makes in its own folder.

Harmless: two links in its own folder; it reads one file that the test made.
Shows: the file's text.
"""

import os

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    os.symlink(target["canary"], "mine")
    os.symlink(os.path.dirname(target["canary"]), "folder")
    for path in ("mine", os.path.join("folder", os.path.basename(target["canary"]))):
        try:
            with open(path) as file:
                return file.read()
        except OSError:
            pass
    return ""


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
