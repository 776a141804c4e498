"""Tries to say that loading is done, and well, while the module still loads.

Harmless: one small frame. Not shown in a plain process: there is no channel.
Shows: any point, or a report that does not say forbidden.
"""

import sys

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0
CODE = "forbidden"


def attack(target):
    return ""


def causal_mask(seq_len):
    return f"{seq_len} tokens"


frame = sys._getframe()
while frame:
    if "header" in frame.f_locals and "self" in frame.f_locals:
        token = frame.f_locals["header"]["token"]
        answer = {"answer": "loaded", "callable": True, "names": [], "problems": [], "output": "", "token": token}
        frame.f_locals["self"].send(answer, [])
        break
    frame = frame.f_back
