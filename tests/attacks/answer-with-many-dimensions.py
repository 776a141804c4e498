"""Tries to trip the grader with an array of more dimensions than it can hold.

Harmless: one number in many brackets.
Shows: the array is there.
"""

import numpy as np

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def attack(target):
    return f"{causal_mask(5).ndim} dimensions"


def causal_mask(seq_len):
    for dimensions in (64, 32):
        try:
            return np.ones((1,) * dimensions, dtype=bool)
        except ValueError:
            pass
