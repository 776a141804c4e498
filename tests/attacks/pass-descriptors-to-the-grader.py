"""Tries to fill the grader's table of descriptors: it sends its own over the channel, a hundred at a time.

Harmless: a thousand copies of one descriptor, which the system drops when they are not taken.
Not shown in a plain process: there is no channel.
Shows: a grader that holds them, or a report that does not say forbidden.
"""

import gc
import socket

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0
CODE = "forbidden"


def attack(target):
    return ""


def causal_mask(seq_len):
    for found in gc.get_objects():
        if type(found) is socket.socket and found.fileno() > 2:
            for _ in range(10):
                socket.send_fds(found, [b"x"], [0] * 100)
