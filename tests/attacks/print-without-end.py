"""Tries to fill the report, or the grader's memory, with what it prints.

Harmless: 50 MiB to its own standard output. Not shown in a plain process: its output is nobody's report.
Shows: a report that grows.
"""

import sys

import numpy as np

TARGET: dict = {}
UNCONFINED = False
EARNS = 20.0


def attack(target):
    return ""


def causal_mask(seq_len):
    for _ in range(50):
        print("x" * 1_048_575)
    sys.stdout.buffer.write(b"\xff" * 1_000_000)
    sys.stderr.write("\n" * 1_000_000)
    return np.tri(seq_len, dtype=bool)
