"""Tries to use more processor time than is counted, by threads that compute at once.

Harmless: four threads, which stop by themselves after four seconds.
Shows: they compute for longer than the test allows.
"""

import threading
import time
import zlib

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0
CODE = "timeout"


def compute(most):
    data, end = bytes(1 << 20), time.monotonic() + most
    while time.monotonic() < end:
        zlib.crc32(data)


def attack(target):
    causal_mask(5, target["seconds"])
    return f"{time.process_time()} s" if time.process_time() > target["seconds"] / 2 else ""


def causal_mask(seq_len, most=4.0):
    started = [threading.Thread(target=compute, args=(most,)) for _ in range(4)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
