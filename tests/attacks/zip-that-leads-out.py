"""Tries to be unpacked over other files: members of a zip whose names lead out of the folder.

Harmless: a small archive; unpacked without care it writes into a folder of the test's.
Shows: unpacked by the names as they are, a file lies outside.
"""

import os
import pathlib
import zipfile

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


NAMES = ("../escaped", "work/../../escaped", "..\\escaped", "work/./../../escaped")


def build(folder, target):
    path = folder / "work.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("causal_mask.py", "def causal_mask(seq_len):\n    return None\n")
        for name in (*NAMES, os.path.join(target["folder"], "escaped")):
            packed.writestr(name, "print('escaped')\n")
            packed.writestr(name + ".py", "print('escaped')\n")
    return path


def attack(target):
    folder = pathlib.Path(target["folder"])
    inner = folder / "inner"
    inner.mkdir()
    with zipfile.ZipFile(build(folder, target)) as packed:
        (inner / NAMES[0]).write_bytes(packed.read(NAMES[0]))
    return "escaped" if (folder / "escaped").exists() else ""
