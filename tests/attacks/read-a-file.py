"""Tries to read a file of the user's by its path.

Harmless: it reads one file that the test made.
Shows: the file's text.
"""

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    with open(target["canary"]) as file:
        return file.read()


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
