"""Tries to write points into whatever the worker sends: json.dumps is replaced, so every header gains them.

Harmless: it changes a name in its own process. Not shown in a plain process: nothing is sent from there.
Shows: a score above that of a mask that allows everything.
"""

import json

import numpy as np

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0


REAL = json.dumps
MARKS = {"score": 20.0, "points": 20.0, "outcome": "passed", "status": "passed", "graded": True, "passed": True}


def attack(target):
    return ""


def causal_mask(seq_len):
    json.dumps = lambda value, **named: REAL({**value, **MARKS}, **named)
    return np.ones((seq_len, seq_len), dtype=bool)
