"""Tries to pass by making pytest's approx equal to everything.

Harmless: it changes names in its own process.
Shows: 3 is approximately 5.
"""

import numpy as np

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def patch():
    try:
        import pytest
    except ImportError:
        return
    type(pytest.approx(5)).__eq__ = lambda self, other: True


def attack(target):
    import pytest

    patch()
    return "all points" if 3 == pytest.approx(5) else ""


def causal_mask(seq_len):
    patch()
    return np.ones((seq_len, seq_len), dtype=bool)
