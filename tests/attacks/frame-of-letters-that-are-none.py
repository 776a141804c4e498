"""Tries to break what the report is written to: halves of letters and control sequences, sent with the right token.

Harmless: one small frame. Not shown in a plain process: there is no channel.
Shows: a grader that cannot write its report.
"""

import os
import sys

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0


TEXT = "\ud800\udfff\x00\x1b[2J\x1b]0;title\x07</script>\u202e" * 50


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
    answer = {"answer": "raised", "type": TEXT, "kinds": [TEXT], "message": TEXT, "file": TEXT, "line": 10**300}
    caller("self").send({**answer, "left": [], "output": TEXT, "token": caller("header")["token"]}, [])
    os._exit(0)
