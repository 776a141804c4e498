"""Tries to use processor time that is not counted as its own: a child computes, and the parent waits.

Harmless: the child stops by itself after the time that the test allows and a little more.
Shows: the child computed for longer than that.
"""

import os
import time

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    pid = os.fork()
    if pid == 0:
        while time.process_time() < target["seconds"]:
            pass
        os._exit(0)
    used = os.wait4(pid, 0)[2]
    seconds = used.ru_utime + used.ru_stime
    return f"{seconds:.1f} s" if seconds > target["seconds"] / 2 else ""


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
