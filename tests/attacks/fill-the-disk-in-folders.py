"""Tries to fill the disk from its own folder, with files in inner folders, where a look at the outer one sees none.

Harmless: 90 MiB in files of 3, in a folder that is removed.
Shows: all were written.
"""

import os
import time

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0
CODE = "out-of-memory"


def attack(target):
    written = 0
    for number in range(30):
        os.makedirs(f"outer/{number}/inner")
        with open(f"outer/{number}/inner/filler", "wb") as file:
            written += file.write(bytes(3 << 20))
    time.sleep(1)
    return f"{written >> 20} MiB"


def causal_mask(seq_len):
    """Right, so that what is lost is lost to the attack alone."""
    import numpy as np

    return np.tri(seq_len, dtype=bool)


if TARGET:  # while loading, once
    attack(TARGET)
