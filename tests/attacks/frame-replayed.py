"""Tries to be paid twice: one right frame, sent again and again.

Harmless: four small frames on its own channel. Not shown in a plain process: there is no channel.
Shows: any point, or a report that does not say forbidden.
"""

import gc
import socket
import struct
import sys
import json

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0
CODE = "forbidden"


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
    head = json.dumps({"answer": "other", "type": "x", "left": [], "output": "", "token": token()}).encode()
    frame = struct.pack(">II", len(head), 0) + head
    for found in gc.get_objects():
        if type(found) is socket.socket and found.fileno() > 2:
            for _ in range(4):
                found.sendall(frame)
