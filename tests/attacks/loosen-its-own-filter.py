"""Tries to lay a filter of its own over the one it has, one that allows everything, and to leave "no new privileges".

Harmless: it changes its own process alone.
Shows: what was loosened.
"""

import ctypes
import socket

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


NO_NEW_PRIVILEGES = 38


def attack(target):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(NO_NEW_PRIVILEGES, 0, 0, 0, 0)
    found = []
    if libc.prctl(NO_NEW_PRIVILEGES + 1, 0, 0, 0, 0) == 0:
        found.append("new privileges")
    try:
        socket.socket().close()
        found.append("sockets")
    except OSError:
        pass
    return " ".join(found)


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
