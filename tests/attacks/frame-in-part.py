"""Tries to shift the grader's reading: half a frame goes before the worker's own.

Harmless: a few bytes on its own channel. Not shown in a plain process: there is no channel.
Shows: any point, or a report that does not say forbidden.
"""

import os
import struct

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0
CODE = "forbidden"


def attack(target):
    return ""


def causal_mask(seq_len):
    for descriptor in range(3, 256):
        try:
            os.write(descriptor, struct.pack(">II", 400, 25) + b'{"answer": "array", ')
        except OSError:
            pass
