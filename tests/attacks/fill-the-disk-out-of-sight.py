"""Tries to fill the disk where nobody looks: in folders of names so long that no path reaches the innermost.

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
    start = os.getcwd()
    for _ in range(20):
        os.mkdir("d" * 250)
        os.chdir("d" * 250)
    written = 0
    for number in range(30):
        with open(f"filler{number}", "wb") as file:
            written += file.write(bytes(3 << 20))
    os.chdir(start)
    time.sleep(1)
    return f"{written >> 20} MiB"


def causal_mask(seq_len):
    """Right, so that what is lost is lost to the attack alone."""
    import numpy as np

    return np.tri(seq_len, dtype=bool)


if TARGET:  # while loading, once
    attack(TARGET)
