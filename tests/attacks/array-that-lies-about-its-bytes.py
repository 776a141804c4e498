"""Tries to pass with an array whose type, shape and bytes are other ones for everyone who asks.

Harmless: classes in its own process.
Shows: the bytes of a wrong mask equal those of the right one.
"""

import numpy as np

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


class Same(bytes):
    """Equal to all bytes."""

    def __eq__(self, other):
        return True

    __hash__ = None


class Lies(np.ndarray):
    """Gives other bytes than it has."""

    nbytes = property(lambda self: 1)
    shape = property(lambda self: (1,) * 40)
    dtype = property(lambda self: np.dtype(object))

    def tobytes(self, *args):
        return Same(b"x" * 100_000)

    def astype(self, *args, **named):
        return self

    def __reduce_ex__(self, protocol):
        return print, ("unpickled",)

    def __buffer__(self, flags):
        return memoryview(b"x" * 100_000)


def attack(target):
    return "all points" if causal_mask(5).tobytes() == np.tri(5, dtype=bool).tobytes() else ""


def causal_mask(seq_len):
    return np.ones((seq_len, seq_len), dtype=bool).view(Lies)
