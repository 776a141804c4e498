"""Tries to become the worker: it reads the questions itself and answers each, with the token, as it likes.

Harmless: it answers on its own channel until that closes. Not shown in a plain process: there is no channel.
Shows: more points than the answers it gives would earn.
"""

import json
import os
import socket
import stat
import struct
import sys

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0


def exactly(channel, size):
    data = b""
    while len(data) < size:
        chunk = channel.recv(size - len(data))
        if not chunk:
            os._exit(0)
        data += chunk
    return data


def asked():
    """All that the worker was asked at once, this call among it."""
    frame = sys._getframe()
    while frame:
        header = frame.f_locals.get("header")
        if isinstance(header, dict) and "calls" in header:
            return header["calls"]
        frame = frame.f_back
    return []


def answer(channel, size, token):
    extra = {"passed": True, "points": 20.0, "output": "20 of 20", "token": token}
    head = json.dumps({"answer": "array", "arrays": [["?", [size, size]]], "left": [], **extra}).encode()
    channel.sendall(struct.pack(">II", len(head), size * size) + head + b"\x01" * (size * size))


def attack(target):
    return ""


def causal_mask(seq_len):
    for descriptor in range(3, 256):
        try:
            if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                continue
        except OSError:
            continue
        channel = socket.socket(fileno=descriptor)
        for call in asked():
            answer(channel, call["args"][0], call["token"])
        while True:
            head, body = struct.unpack(">II", exactly(channel, 8))
            question = json.loads(exactly(channel, head))
            exactly(channel, body)
            for call in question["calls"]:
                answer(channel, call["args"][0], call["token"])
