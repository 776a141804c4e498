"""Tries to slip frames in between question and answer: a thread writes some long after the call is over.

Harmless: one thread, at most a hundred writes of one byte. Not shown in a plain process: there is no channel.
Shows: any point, or a report that does not say forbidden.
"""

import os
import stat
import threading
import time

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0
CODE = "forbidden"


def late():
    for _ in range(100):
        time.sleep(0.002)
        for descriptor in range(3, 256):
            try:
                if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                    os.write(descriptor, b"\x00")
            except OSError:
                pass


def attack(target):
    return ""


def causal_mask(seq_len):
    threading.Thread(target=late, daemon=True).start()
    time.sleep(0.01)
