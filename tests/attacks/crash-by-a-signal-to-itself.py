"""Tries to take the grader down with it: it kills its own process, and the group that it is in.

Harmless: it is alone in its group.
Shows: the process is gone.
"""

import os
import signal

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0
CODE = "crash"


def attack(target):
    causal_mask(5)
    return ""


def causal_mask(seq_len):
    os.kill(os.getpid(), signal.SIGKILL)
