"""Tries to keep a processor busy with a pattern that backtracks.

Harmless: 28 letters, some ten seconds at most, ended by the test.
Shows: a shorter text takes more than a thousand times as long as its length asks for.
"""

import re
import time

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0
CODE = "timeout"


def attack(target):
    began = time.process_time()
    re.match("(x+x+)+y", "x" * 20)
    return "backtracks" if time.process_time() - began > 0.01 else ""


def causal_mask(seq_len):
    re.match("(x+x+)+y", "x" * 28)
