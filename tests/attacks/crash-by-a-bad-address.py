"""Tries to take the grader down by reading where there is nothing.

Harmless: it ends its own process; no core is written.
Shows: the process is gone.
"""

import ctypes

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0
CODE = "crash"


def attack(target):
    causal_mask(5)
    return ""


def causal_mask(seq_len):
    ctypes.string_at(0)
