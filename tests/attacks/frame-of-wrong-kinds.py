"""Tries to bring values of other kinds than expected into the grader, where they could pass for something else.

Harmless: one small frame a call, with the right token. Not shown in a plain process: there is no channel.
Shows: a grader that fails, or a report that does not say forbidden.
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


ANSWERS = (
    {"answer": ["array"], "arrays": [], "left": [], "output": ""},
    {"answer": "array", "arrays": {}, "left": [], "output": ""},
    {"answer": "array", "arrays": [], "left": None, "output": ""},
    {"answer": "other", "type": {"name": "bool"}, "left": [], "output": ""},
    {
        "answer": "raised",
        "type": "E",
        "kinds": {"a": 1},
        "message": "",
        "file": "",
        "line": True,
        "left": [],
        "output": "",
    },
    {"answer": "other", "type": "x", "left": [], "output": ["x"]},
    {"answer": "loaded", "callable": True, "names": [], "problems": [], "output": ""},
    {"answer": "passed"},
    {},
)


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
    head = json.dumps({**ANSWERS[seq_len % len(ANSWERS)], "token": token()}).encode()
    for found in gc.get_objects():
        if type(found) is socket.socket and found.fileno() > 2:
            found.sendall(struct.pack(">II", len(head), 0) + head)
