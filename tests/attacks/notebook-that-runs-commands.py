"""Tries to run shell commands and read files by a notebook's magics, which a kernel would run.

Harmless: the commands would make one file in a folder of the test's.
Shows: a kernel's own translation turns the line into a command.
"""

import json
import os
import pathlib
import subprocess

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def build(folder, target):
    path = folder / "work.ipynb"
    made = os.path.join(target["folder"], "by-a-notebook")
    lines = [f"!touch {made}", f"%system touch {made}", f"%%bash\ntouch {made}", f"%run {target['canary']}"]
    lines += [f"%load {target['canary']}", f"get_ipython().system('touch {made}')"]
    lines += ["def causal_mask(seq_len):\n    return None\n"]
    cells = [
        {"cell_type": "code", "metadata": {}, "source": line, "outputs": [], "execution_count": None} for line in lines
    ]
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))
    return path


def attack(target):
    cells = json.loads(build(pathlib.Path(target["folder"]), target).read_text())["cells"]
    subprocess.run(cells[0]["source"].removeprefix("!"), shell=True, check=True)
    return "a command" if os.path.exists(os.path.join(target["folder"], "by-a-notebook")) else ""
