"""Tries to write packets of its own making, and to read those of others.

Harmless: the sockets are opened, and nothing is sent or read.
Shows: which sockets were opened.
"""

import socket

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0
DEPENDS = "the rights of root"


def attack(target):
    found = []
    kinds = {
        "raw": (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
        "packet": (socket.AF_PACKET, socket.SOCK_RAW, 0),
    }
    for name, kind in kinds.items():
        try:
            socket.socket(*kind).close()
            found.append(name)
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
