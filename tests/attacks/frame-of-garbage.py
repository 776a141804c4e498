"""Tries to confuse the grader by writing garbage to every open descriptor.

Harmless: a hundred bytes to descriptors that the process already has.
Not shown in a plain process: there is no channel.
Shows: any point, or a report that does not say forbidden.
"""

import os

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0
CODE = "forbidden"


def attack(target):
    return ""


def causal_mask(seq_len):
    for descriptor in range(3, 256):
        try:
            os.write(descriptor, b"\x00\x00\x00\x02garbage" * 10)
        except OSError:
            pass
