"""Tries to keep the grader reading: a frame that promises 20 MiB and comes byte by byte.

Harmless: a hundred bytes a second for eight seconds at most. Not shown in a plain process: there is no channel.
Shows: any point, a grader that reads on, or a report that does not say forbidden.
"""

import os
import struct
import time

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0
CODE = "forbidden"


def attack(target):
    return ""


def causal_mask(seq_len):
    start = struct.pack(">II", 4 << 20, 16 << 20)
    for moment in range(800):
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, start if moment == 0 else b"[")
            except OSError:
                pass
        time.sleep(0.01)
