"""Tries to import the grader and what belongs to it, from every place it may lie in.

Harmless: it imports modules, in its own process.
Shows: which modules were imported.
"""

import importlib
import os
import sys

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


NAMES = ("grader.course", "grader.suite_runner", "grader.suites.test_causal_mask", "solutions.causal_mask", "_pytest")


def attack(target):
    site = [os.path.join(os.path.dirname(os.__file__), "site-packages"), *target["site"]]
    sys.path[:0] = [target["course"], os.path.join(target["course"], "grader"), *site]
    found = []
    for name in NAMES:
        try:
            importlib.import_module(name)
            found.append(name)
        except ImportError:
            pass
    return " ".join(found)


TRIED = []


def causal_mask(seq_len):
    """Right, so that what is lost is lost to the attack alone."""
    import numpy as np

    if not TRIED:
        TRIED.append("")
        try:
            TRIED[0] = attack(TARGET)
        except BaseException:
            pass
        print(f"ATTACK:{TRIED[0]}")
    return np.tri(seq_len, dtype=bool)
