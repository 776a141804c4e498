"""Tries to hold the grader up without using anything.

Harmless: it sleeps for ten seconds at most, ended by the test.
Shows: no processor time is used while it waits.
"""

import time

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0
CODE = "timeout"


def attack(target):
    before = time.process_time()
    time.sleep(0.3)
    return "slept" if time.process_time() - before < 0.1 else ""


def causal_mask(seq_len):
    time.sleep(10)
