"""Tries to fill memory or disk by unpacking: a tar of 256 MiB of nothing, packed twice over.

Harmless: some hundred KiB; a plain process reads no more than its start.
Shows: it unpacks to a hundred times its size.
"""

import gzip
import pathlib
import tarfile

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


class Nothing:
    """Reads as zeros."""

    def read(self, size):
        return bytes(size)


def build(folder, target):
    path = folder / "work.tar.gz"
    with tarfile.open(path, "w:gz") as packed:
        member = tarfile.TarInfo("causal_mask.py")
        member.size = 256 << 20
        packed.addfile(member, Nothing())
    return path


def attack(target):
    path = build(pathlib.Path(target["folder"]), target)
    with gzip.open(path) as unpacked:
        start = len(unpacked.read(64 << 20))
    return f"{start // path.stat().st_size} times" if start > 100 * path.stat().st_size else ""
