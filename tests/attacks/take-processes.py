"""Tries to start processes without end.

Harmless: three, which sleep for a moment and end.
Shows: three run at once.
"""

import os
import time

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    started = []
    for _ in range(3):
        pid = os.fork()
        if pid == 0:
            time.sleep(0.2)
            os._exit(0)
        started.append(pid)
    for pid in started:
        os.waitpid(pid, 0)
    return f"{len(started)} processes"


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
