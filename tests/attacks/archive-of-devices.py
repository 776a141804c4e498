"""Tries to have devices and pipes made or read: members of a tar that are no files.

Harmless: a small archive; in a plain process only the pipe is made, in a folder of the test's.
Shows: unpacked in full trust, the pipe is there.
"""

import pathlib
import tarfile

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def build(folder, target):
    path = folder / "work.tar"
    with tarfile.open(path, "w") as packed:
        for name, kind in (
            ("causal_mask.py", tarfile.FIFOTYPE),
            ("softmax.py", tarfile.CHRTYPE),
            ("attention.py", tarfile.BLKTYPE),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.devmajor, member.devminor = kind, 1, 5
            packed.addfile(member)
    return path


def attack(target):
    folder = pathlib.Path(target["folder"])
    with tarfile.open(build(folder, target)) as packed:
        packed.extraction_filter = staticmethod(lambda member, path: member)
        packed.extract("causal_mask.py", folder)
    return "a pipe" if (folder / "causal_mask.py").is_fifo() else ""
