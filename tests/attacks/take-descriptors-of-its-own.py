"""Tries to open files without end.

Harmless: 2,000 copies of one descriptor, gone with the process.
Shows: it holds more than 1,000.
"""

import os

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    held = []
    try:
        while len(held) < 2_000:
            held.append(os.dup(0))
    except OSError:
        pass
    for descriptor in held:
        os.close(descriptor)
    return f"{len(held)} descriptors" if len(held) > 1_000 else ""


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
