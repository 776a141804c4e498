"""Tries to answer in the worker's name: a frame that is right in all but its token, to every open descriptor.

Harmless: one small frame a descriptor. Not shown in a plain process: there is no channel.
Shows: any point, or a report that does not say forbidden.
"""

import json
import os
import struct

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0
CODE = "forbidden"


def frame(header, body=b""):
    head = json.dumps(header).encode()
    return struct.pack(">II", len(head), len(body)) + head + body


def attack(target):
    return ""


def causal_mask(seq_len):
    right = bytes(j <= i for i in range(seq_len) for j in range(seq_len))
    header = {"answer": "array", "arrays": [["?", [seq_len, seq_len]]], "left": [], "output": "", "token": "0" * 16}
    for descriptor in range(3, 256):
        try:
            os.write(descriptor, frame(header, right))
        except OSError:
            pass
