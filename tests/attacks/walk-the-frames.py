"""Tries to find a seed, a suite or expected values in the frames that called it, and in those of other threads.

Harmless: it looks at frames of its own process.
Shows: which names it found.
"""

import sys

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0
BESIDE = "suite"


NAMES = {"seed", "suite", "suites", "course", "expected", "solution", "solutions", "exercise", "points"}


def attack(target):
    found = set()
    for frame in [sys._getframe(1), *sys._current_frames().values()]:
        while frame:
            found |= NAMES.intersection(frame.f_locals) | NAMES.intersection(frame.f_globals)
            for value in list(frame.f_locals.values()):
                found |= NAMES.intersection(getattr(value, "__dict__", None) or ())
            frame = frame.f_back
    return " ".join(sorted(found))


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
