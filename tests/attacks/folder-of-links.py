"""Tries to have the course's solution graded as its own: a folder whose module is a link to it.

Harmless: links in a folder of the test's.
Shows: what follows links finds the solution.
"""

import os
import pathlib

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def build(folder, target):
    work = folder / "work"
    work.mkdir()
    (work / "causal_mask.py").symlink_to(os.path.join(target["course"], "solutions", "causal_mask.py"))
    (work / "more").symlink_to(target["course"])
    (work / "secret.py").symlink_to(target["canary"])
    (work / "loop").symlink_to(work)
    return work


def attack(target):
    work = build(pathlib.Path(target["folder"]), target)
    return "the solution" if "def causal_mask" in (work / "causal_mask.py").read_text() else ""
