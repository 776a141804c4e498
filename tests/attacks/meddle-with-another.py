"""Tries to slow down or to end another process by what may be set from outside: priority, processors, limits.

Harmless: each is set to what it is, of a process that the test made for it and of its own parent.
Shows: what could be set, and whose.
"""

import os
import resource

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def limit(pid):
    now = resource.prlimit(pid, resource.RLIMIT_CORE)
    resource.prlimit(pid, resource.RLIMIT_CORE, now)


DOORS = {
    "priority": lambda pid: os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid)),
    "processors": lambda pid: os.sched_setaffinity(pid, os.sched_getaffinity(pid)),
    "limits": limit,
}


def attack(target):
    found = []
    for whose in ("pid", "parent"):
        for name, door in DOORS.items():
            try:
                door(target[whose])
                found.append(f"{name} of {whose}")
            except (OSError, ValueError):
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
