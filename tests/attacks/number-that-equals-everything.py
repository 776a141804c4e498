"""Tries to pass with a number, a float64 by class, that equals every array.

Harmless: a class in its own process.
Shows: a number equals the right mask.
"""

import numpy as np

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


class Number(np.float64):
    """Equal to everything, of every shape."""

    shape = property(lambda self: (5, 5))
    dtype = np.dtype(bool)

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __array_priority__(self):
        return 1e9

    __hash__ = None
    __array_ufunc__ = None


def attack(target):
    return "all points" if np.tri(5, dtype=bool) == causal_mask(5) else ""


def causal_mask(seq_len):
    return Number(0)
