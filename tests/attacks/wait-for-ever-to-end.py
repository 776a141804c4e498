"""Tries to keep its process from ending: a thread that is waited for, and functions at exit that wait.

Harmless: ten seconds at most, ended by the test. Not shown in a plain process: the test would wait for it.
Shows: a process is left, or the grader waits.
"""

import atexit
import sys
import threading
import time

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0


def attack(target):
    return ""


def causal_mask(seq_len):
    atexit.register(time.sleep, 10)
    threading.Thread(target=time.sleep, args=(10,)).start()
    sys.exit(0)
