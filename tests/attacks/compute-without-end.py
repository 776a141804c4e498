"""Tries to keep a processor busy for ever.

Harmless: it stops by itself after four seconds of processor time.
Shows: it computes for longer than the test allows.
"""

import time

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0
CODE = "timeout"


def attack(target):
    causal_mask(5, target["seconds"])
    return f"{target['seconds']} s"


def causal_mask(seq_len, most=4.0):
    end = time.process_time() + most
    while time.process_time() < end:
        pass
