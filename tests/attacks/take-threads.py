"""Tries to start threads without end.

Harmless: 400 with small stacks, which wait a moment and end.
Shows: 300 wait at once.
"""

import threading
import time

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0
CODE = "out-of-memory"


def attack(target):
    threading.stack_size(64 << 10)
    leave, started = threading.Event(), []
    try:
        for _ in range(400):
            thread = threading.Thread(target=leave.wait, args=(2,))
            thread.start()
            started.append(thread)
    except (RuntimeError, MemoryError):
        pass
    time.sleep(0.2)  # threads that are gone at once take nothing
    leave.set()
    for thread in started:
        thread.join()
    return f"{len(started)} threads" if len(started) > 300 else ""


TRIED = []


def causal_mask(seq_len):
    """Right, so that what is lost is lost to the attack alone."""
    import numpy as np

    if not TRIED:
        TRIED.append("")
        try:
            TRIED[0] = attack(TARGET)
        except BaseException:
            pass
        print(f"ATTACK:{TRIED[0]}")
    return np.tri(seq_len, dtype=bool)
