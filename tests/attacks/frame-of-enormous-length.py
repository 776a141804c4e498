"""Tries to make the grader set 8 GiB aside: a frame that promises as much.

Harmless: eight bytes. Not shown in a plain process: there is no channel.
Shows: a grader that grows, or a report that does not say forbidden.
"""

import os

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0
CODE = "forbidden"


def attack(target):
    return ""


def causal_mask(seq_len):
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b"\xff" * 8)
        except OSError:
            pass
