"""Tries to have other files read or written through links in a tar, symbolic and hard.

Harmless: a small archive; unpacked without care it reads a file that the test made.
Shows: unpacked in full trust, a link leads to that file.
"""

import io
import os
import pathlib
import tarfile

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def build(folder, target):
    path = folder / "work.tar"
    solution = os.path.join(target["course"], "solutions", "causal_mask.py")
    with tarfile.open(path, "w") as packed:
        for name, kind, to in (
            ("causal_mask.py", tarfile.SYMTYPE, solution),
            ("softmax.py", tarfile.LNKTYPE, solution),
            ("secret.py", tarfile.SYMTYPE, target["canary"]),
            ("out", tarfile.SYMTYPE, target["folder"]),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, to
            packed.addfile(member)
        text = b"print('through a link')\n"
        member = tarfile.TarInfo("out/written.py")
        member.size = len(text)
        packed.addfile(member, io.BytesIO(text))
    return path


def attack(target):
    folder = pathlib.Path(target["folder"])
    (folder / "inner").mkdir()
    with tarfile.open(build(folder, target)) as packed:
        packed.extraction_filter = staticmethod(lambda member, path: member)
        packed.extract("secret.py", folder / "inner")
    return (folder / "inner" / "secret.py").read_text()
