"""Tries to exhaust the grader's stack with lists in lists, a hundred thousand deep, and with one that holds itself.

Harmless: a few MiB.
Shows: writing it out fails.
"""

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def attack(target):
    try:
        return "" if repr(causal_mask(4)) else ""
    except RecursionError:
        return "too deep"


def causal_mask(seq_len):
    deep = []
    deep.append(deep)
    if seq_len % 2 == 0:
        for _ in range(100_000):
            deep = [deep]
    return deep
