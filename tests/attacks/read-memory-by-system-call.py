"""Tries to read the memory of other processes by process_vm_readv; the one it was forked from has the same addresses.

Harmless: sixteen bytes of processes that the test names; nothing is written.
Shows: whose memory could be read.
"""

import ctypes

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0
DEPENDS = "the right to trace others"


class Piece(ctypes.Structure):
    """A piece of memory, as the system call wants it."""

    _fields_ = [("start", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def attack(target):
    libc = ctypes.CDLL(None, use_errno=True)
    here = ctypes.create_string_buffer(16)
    found = []
    for name in ("pid", "parent", "grader"):
        starts = [id(ctypes.Structure)]
        try:
            with open(f"/proc/{target[name]}/maps") as file:
                starts.append(int(file.readline().split("-")[0], 16))
        except OSError:
            pass
        for start in starts:
            ours, theirs = Piece(ctypes.addressof(here), 16), Piece(start, 16)
            got = libc.process_vm_readv(target[name], ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0)
            if got == 16 and name not in found:
                found.append(name)
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
