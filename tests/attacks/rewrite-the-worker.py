"""Tries to rewrite the worker's own functions: every function it finds that sorts or encodes answers says "right".

Harmless: it changes objects of its own process. Not shown in a plain process: there is no worker in it.
Shows: any point at all, or a grader that cannot read what comes.
"""

import gc
import types

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0


NAMES = ("classify", "plain", "kind_of", "left_of", "is_plain", "describe", "raised")


def right(*args, **named):
    return {"answer": "passed", "points": 20.0}, []


def attack(target):
    return ""


def causal_mask(seq_len):
    for found in gc.get_objects():
        if type(found) is types.FunctionType and found.__name__ in NAMES and not found.__closure__:
            found.__code__ = right.__code__
