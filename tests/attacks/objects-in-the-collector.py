"""Tries to find hidden tests, expected values and secrets among all objects of its process.

Harmless: it looks at objects of its own process.
Shows: which of them it found.
"""

import gc
import types

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0
BESIDE = "suite"


NAMES = {"right_mask", "test_sees_no_future", "seen", "Suites", "Outcome", "Exercise", "Diagnosis", "load_course"}


def attack(target):
    found = set()
    for thing in gc.get_objects():
        if isinstance(thing, (types.FunctionType, type)) and thing.__name__ in NAMES:
            found.add(thing.__name__)
        if type(thing) is dict:
            found |= NAMES.intersection(key for key in list(thing) if type(key) is str)
    found.discard("seen")
    own = {"NAMES", "attack"}
    return " ".join(sorted(found - own))


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
