"""Tries to fill the report with warnings, exceptions in exceptions and endless names, before it answers.

Harmless: some MiB in its own process.
Shows: warnings of some hundred KiB each.
"""

import warnings

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        causal_mask(5)
    return f"{len(caught)} warnings" if len(caught) > 10 else ""


def causal_mask(seq_len):
    import numpy as np

    warnings.simplefilter("always")
    for number in range(20):
        warnings.warn(f"{number}" * (1 << 17))
    return np.tri(seq_len, dtype=bool)
