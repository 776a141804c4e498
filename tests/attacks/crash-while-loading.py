"""Tries to take the grader down before there is anything to call.

Harmless: it ends its own process. Not shown in a plain process: it would be gone before it is asked.
Shows: a report that is not graded.
"""

import os

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0
CODE = "crash"


def attack(target):
    return ""


def causal_mask(seq_len):
    return None


os._exit(0)
