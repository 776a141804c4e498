"""Tries to fill the report: an array "too large to send" of sixty dimensions with 4,000 digits each.

Harmless: one frame of 250 KB with the right token. Not shown in a plain process: there is no channel.
Shows: a report that grows, or a grader that fails to write it.
"""

import os
import sys

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0


def caller(name):
    frame = sys._getframe()
    while frame:
        if name in frame.f_locals:
            return frame.f_locals[name]
        frame = frame.f_back
    return None


def attack(target):
    return ""


def causal_mask(seq_len):
    shape = [10**4_000] * 60
    answer = {"answer": "huge", "shape": shape, "dtype": "\x1b[2J" * 1_000, "left": [], "output": ""}
    caller("self").send({**answer, "token": caller("header")["token"]}, [])
    os._exit(0)
