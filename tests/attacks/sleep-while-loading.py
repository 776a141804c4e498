"""Tries to hold the grader up before there is anything to call.

Harmless: it sleeps for ten seconds at most in a worker; in a plain process not at all.
Shows: the module's own code runs when it is loaded.
"""

import time

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0
CODE = "timeout"


def attack(target):
    return "slept" if SLEPT else ""


def causal_mask(seq_len):
    return None


SLEPT = [time.sleep(10 if TARGET else 0)]
