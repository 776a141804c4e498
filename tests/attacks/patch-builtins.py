"""Tries to pass by replacing built-in functions that comparisons use.

Harmless: it changes names in its own process.
Shows: all() of False is True.
"""

import builtins

import numpy as np

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def attack(target):
    got = causal_mask(5)
    return "all points" if all(row == right for row, right in zip(got.tolist(), [[]] * 5)) else ""


def causal_mask(seq_len):
    builtins.all = builtins.any = builtins.sum = lambda *args, **named: True
    builtins.isinstance = builtins.issubclass = builtins.all
    builtins.AssertionError = type("Silent", (Exception,), {})
    return np.ones((seq_len, seq_len), dtype=bool)
