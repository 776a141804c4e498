"""Tries to leave a folder so deep that what removes it fails.

Harmless: 1,200 folders, one in the other, in its own. Not shown in a plain process: nobody removes its folder.
Shows: a report that is not graded, something left where scratch folders are made, or that nobody counts folders.
"""

import os
import time

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0
CODE = "out-of-memory"


def attack(target):
    start = os.getcwd()
    for _ in range(1_200):
        os.mkdir("d")
        os.chdir("d")
    os.chdir(start)
    time.sleep(1)
    return "1200 folders"


def causal_mask(seq_len):
    """Right, so that what is lost is lost to the attack alone."""
    import numpy as np

    return np.tri(seq_len, dtype=bool)


if TARGET:  # while loading, once
    attack(TARGET)
