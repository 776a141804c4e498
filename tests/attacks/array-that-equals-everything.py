"""Tries to pass with an array whose class answers every comparison with yes.

Harmless: a class in its own process.
Shows: a wrong mask equals the right one.
"""

import numpy as np

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


class Yes(np.ndarray):
    """Equal to everything."""

    def __eq__(self, other):
        return np.True_

    def __ne__(self, other):
        return np.False_

    __hash__ = None
    __lt__ = __le__ = __gt__ = __ge__ = __eq__

    def all(self, *args, **named):
        return True

    any = all


def attack(target):
    return "all points" if (causal_mask(5) == np.tri(5, dtype=bool)).all() else ""


def causal_mask(seq_len):
    return np.ones((seq_len, seq_len), dtype=bool).view(Yes)
