"""Tries to bring NaN, infinity and a number of 100,000 digits into the grader.

Harmless: small frames with the right token. Not shown in a plain process: there is no channel.
Shows: a grader that fails, or a report that does not say forbidden.
"""

import gc
import socket
import struct
import sys

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0
CODE = "forbidden"


HEADERS = (
    '{"token": "%s", "answer": "huge", "shape": [NaN, Infinity], "dtype": "float64", "left": [], "output": ""}',
    '{"token": "%s", "answer": "huge", "shape": [' + "9" * 100_000 + '], "dtype": "f", "left": [], "output": ""}',
)
ASKED = []


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
    head = (HEADERS[seq_len % 2] % token()).encode()
    for found in gc.get_objects():
        if type(found) is socket.socket and found.fileno() > 2:
            found.sendall(struct.pack(">II", len(head), 0) + head)
