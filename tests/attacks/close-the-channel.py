"""Tries to make the grader fail by closing every descriptor there is.

Harmless: it closes its own descriptors. Not shown in a plain process: there is no channel.
Shows: a report that is not graded.
"""

import os

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0


def attack(target):
    return ""


def causal_mask(seq_len):
    os.closerange(0, 4_096)
