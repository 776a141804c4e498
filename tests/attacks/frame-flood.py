"""Tries to fill the grader's memory: 64 MiB of garbage to every open descriptor.

Harmless: the channel's buffer is bounded by the system; the writes are bounded here.
Not shown in a plain process: there is no channel.
Shows: any point, a grader that grows, or a report that does not say forbidden.
"""

import os

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0
CODE = "forbidden"


def attack(target):
    return ""


def causal_mask(seq_len):
    for _ in range(1_000):
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, b"x" * 65_536)
            except OSError:
                pass
