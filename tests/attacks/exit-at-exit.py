"""Tries to turn a failure into exit status 0 by a function that is run at the interpreter's end.

Harmless: it ends its own process, nothing else.
Shows: a plain process fails with a traceback, and its exit status is 0 all the same.
"""

import atexit
import os

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0
CODE = "raises"


def attack(target):
    causal_mask(5)
    return ""


def causal_mask(seq_len):
    atexit.register(os._exit, 0)
    raise ValueError("this fails, and the exit status says it did not")
