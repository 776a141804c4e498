"""Tries to exhaust the grader's stack or patience: 900 folders in one another, and many sources.

Harmless: some thousand small files in a folder of the test's, which is removed.
Shows: a walk that calls itself for every folder fails.
"""

import os
import pathlib
import sys

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def build(folder, target):
    work = folder / "work"
    work.mkdir()
    start = os.getcwd()
    os.chdir(work)
    try:
        for _ in range(900):
            os.mkdir("d")
            os.chdir("d")
        pathlib.Path("causal_mask.py").write_text("def causal_mask(seq_len):\n    return None\n")
    finally:
        os.chdir(start)
    for number in range(1_500):
        (work / f"module{number}.py").write_text("x = 1\n")
    return work


def walk(descriptor):
    for name in os.listdir(descriptor):
        if name == "d":
            inner = os.open(name, os.O_RDONLY, dir_fd=descriptor)
            try:
                walk(inner)
            finally:
                os.close(inner)


def attack(target):
    work = build(pathlib.Path(target["folder"]), target)
    sys.setrecursionlimit(500)
    try:
        walk(os.open(work, os.O_RDONLY))
    except RecursionError:
        return "too deep"
    return ""
