"""Tries to take the grader down by a stack that runs over: little of it, and lists in lists a hundred thousand deep.

Harmless: it ends its own process; no core is written.
Shows: the process is gone.
"""

import resource
import sys

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def attack(target):
    causal_mask(5)
    return ""


def causal_mask(seq_len):
    try:
        resource.setrlimit(resource.RLIMIT_STACK, (64 << 10, resource.getrlimit(resource.RLIMIT_STACK)[1]))
    except OSError:
        pass
    sys.setrecursionlimit(10**6)
    deep = []
    for _ in range(100_000):
        deep = [deep]
    repr(deep)
