"""Tries to have other files read where a workspace is: its exercises are a link, and so are the files beside them.

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
    (work / "exercises").symlink_to(os.path.join(target["course"], "solutions"))
    for name in ("causal_mask.py", "secret.py", "answers.ipynb"):
        (work / name).symlink_to(target["canary"])
    return work


def attack(target):
    work = build(pathlib.Path(target["folder"]), target)
    return "the solution" if "def causal_mask" in (work / "exercises" / "causal_mask.py").read_text() else ""
