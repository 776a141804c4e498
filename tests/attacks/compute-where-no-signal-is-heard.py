"""Tries to go on where the interpreter cannot stop it: one long calculation, with every signal ignored.

Harmless: a power that takes some ten seconds at most.
Shows: it is still at it when the test's time is up.
"""

import signal

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0
CODE = "timeout"


def attack(target):
    causal_mask(5, 2_000_000)
    return "computed"


def causal_mask(seq_len, size=30_000_000):
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    return 3**size * 0
