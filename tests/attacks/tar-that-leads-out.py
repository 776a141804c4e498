"""Tries to be unpacked over other files: members of a tar whose names lead out of the folder, or start at the root.

Harmless: a small archive; unpacked without care it writes into a folder of the test's.
Shows: unpacked in full trust, a file lies outside.
"""

import io
import os
import pathlib
import tarfile

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def build(folder, target):
    path = folder / "work.tar.gz"
    with tarfile.open(path, "w:gz") as packed:
        for name in ("causal_mask.py", "../escaped.py", os.path.join(target["folder"], "rooted.py")):
            text = b"def causal_mask(seq_len):\n    return None\n"
            member = tarfile.TarInfo(name)
            member.size = len(text)
            packed.addfile(member, io.BytesIO(text))
    return path


def attack(target):
    folder = pathlib.Path(target["folder"])
    inner = folder / "inner"
    inner.mkdir()
    with tarfile.open(build(folder, target)) as packed:
        packed.extraction_filter = staticmethod(lambda member, path: member)
        packed.extractall(inner)
    return "escaped" if (folder / "escaped.py").exists() else ""
