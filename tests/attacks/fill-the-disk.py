"""Tries to fill the disk from its own folder, with files that are each small enough.

Harmless: 96 MiB in files of 8, in a folder that is removed.
Shows: all were written.
"""

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    written = 0
    for number in range(12):
        with open(f"filler{number}", "wb") as file:
            written += file.write(bytes(8 << 20))
    return f"{written >> 20} MiB"


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
