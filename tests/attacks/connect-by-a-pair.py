"""Tries to reach a server of this machine from one of a pair of sockets, which was connected to its other one.

Harmless: one word to sockets that the test listens on.
Shows: the server was found, whatever it says to such a word.
"""

import errno
import socket

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0
CODE = "forbidden"


def attack(target):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        for address in (target["socket"], "\0" + target["abstract"]):
            try:
                one, _ = socket.socketpair(socket.AF_UNIX, kind)
                one.sendto(b"here", address)
            except OSError as error:
                if error.errno == errno.EPROTOTYPE:  # found, and of another kind
                    return "found a server"
    return ""


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
