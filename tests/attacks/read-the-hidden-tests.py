"""Tries to read the hidden tests, the solutions and the models of mistakes where the course lies, by their paths.

Harmless: it reads files of the course.
Shows: which of them were read.
"""

import pathlib

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    found = []
    for place in ("grader/suites/test_", "solutions/", "grader/mistakes/", "exercises/", "grader/_course/solutions/"):
        for name in ("softmax", "causal_mask", "attention"):
            try:
                if pathlib.Path(target["course"], f"{place}{name}.py").read_bytes():
                    found.append(place + name)
            except OSError:
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
