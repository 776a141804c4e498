"""Tries to keep the grader waiting: pipes, sockets and endless devices by the names of the modules.

Harmless: a pipe, and links to devices, in a folder of the test's.
Shows: reading one waits for ever.
"""

import os
import pathlib

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def build(folder, target):
    work = folder / "work"
    work.mkdir()
    os.mkfifo(work / "causal_mask.py")
    (work / "softmax.py").symlink_to("/dev/zero")
    (work / "attention.py").symlink_to("/proc/self/mem")
    os.mkfifo(work / "work.ipynb")
    return work


def attack(target):
    work = build(pathlib.Path(target["folder"]), target)
    descriptor = os.open(work / "causal_mask.py", os.O_RDWR | os.O_NONBLOCK)
    try:
        os.read(descriptor, 1)
    except BlockingIOError:
        return "it would wait"
    return ""
