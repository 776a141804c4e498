"""Tries to pass with an object that lies about its class and gives another array each time it is asked for one.

Harmless: a class in its own process.
Shows: isinstance finds an array.
"""

import numpy as np

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


class Claims:
    """Says it is an array."""

    __class__ = property(lambda self: np.ndarray)
    shape, ndim, nbytes, size = (5, 5), 2, 25, 25
    dtype = np.dtype(bool)
    asked = 0

    def __array__(self, *args, **named):
        Claims.asked += 1
        return np.ones((Claims.asked % 7, 5), dtype=bool)

    def __eq__(self, other):
        return True

    def tobytes(self):
        return b"\x01" * 25


def attack(target):
    got = causal_mask(5)
    return "all points" if isinstance(got, np.ndarray) and got == np.tri(5) else ""


def causal_mask(seq_len):
    return Claims()
