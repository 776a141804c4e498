"""Tries to answer from a copy of the process, whose time and memory nobody counts, while the first one waits.

Harmless: one fork a process, which ends within two seconds.
Shows: a second process runs.
"""

import os
import time

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


FORKED = []


def attack(target):
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return "a second process"


def causal_mask(seq_len):
    if not FORKED:
        FORKED.append(True)
        if os.fork():
            time.sleep(2)
            os._exit(0)
    return None
