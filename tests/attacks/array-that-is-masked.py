"""Tries to pass with an array of masked entries: comparisons of those are masked themselves, and so never a difference.

Harmless: an array in its own process.
Shows: no difference to the right mask is found.
"""

import numpy as np

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def attack(target):
    return "all points" if not (causal_mask(5) != np.tri(5, dtype=bool)).any() else ""


def causal_mask(seq_len):
    return np.ma.masked_all((seq_len, seq_len), dtype=bool)
