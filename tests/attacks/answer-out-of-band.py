"""Tries to reach past the reader with bytes out of band, which wake the grader and are not read.

Harmless: ten bytes on its own channel. Not shown in a plain process: there is no channel.
Shows: any point, or a grader that waits for ever.
"""

import gc
import socket

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0


def attack(target):
    return ""


def causal_mask(seq_len):
    for found in gc.get_objects():
        if type(found) is socket.socket and found.fileno() > 2:
            for _ in range(10):
                try:
                    found.send(b"!", socket.MSG_OOB)
                except OSError:
                    return
