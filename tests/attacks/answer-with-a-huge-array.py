"""Tries to fill the grader's memory with its answer: an array larger than any right one.

Harmless: 64 MiB in a worker, and an array that only claims to be a TiB.
Shows: the array is there.
"""

import numpy as np

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def attack(target):
    return f"{causal_mask(5).nbytes >> 40} TiB"


def causal_mask(seq_len):
    if seq_len % 2:
        return np.broadcast_to(np.True_, (1 << 20, 1 << 20))
    return np.ones(64 << 20, dtype=bool)
