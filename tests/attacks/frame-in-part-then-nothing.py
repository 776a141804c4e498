"""Tries to keep the grader waiting: half a frame, and then nothing more.

Harmless: a few bytes on its own channel, and five seconds of sleep. Not shown in a plain process: there is no channel.
Shows: any point, a grader that waits, or a report that does not say forbidden.
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
    for descriptor in range(3, 256):
        try:
            os.write(descriptor, struct.pack(">II", 4_000, 25) + b'{"answer": "array", ')
        except OSError:
            pass
    time.sleep(5)
