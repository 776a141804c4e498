"""Tries to pass by ending the process with exit status 0 before a test can fail.

Harmless: it ends its own process, nothing else.
Shows: a plain process ends with status 0 and says no word of the wrong answer.
"""

import os

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0
CODE = "crash"


def attack(target):
    causal_mask(5)
    return ""


def causal_mask(seq_len):
    os._exit(0)
