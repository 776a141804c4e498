"""Tries to be unpacked again and again: an archive in an archive, forty deep, with the solution's link at the bottom.

Harmless: a few KiB.
Shows: what unpacks whatever it finds goes forty deep.
"""

import io
import pathlib
import zipfile

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def build(folder, target):
    data = b"def causal_mask(seq_len):\n    return None\n"
    name = "causal_mask.py"
    for _ in range(40):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(name, data)
            archive.writestr("copy-" + name, data)
        data, name = packed.getvalue()[: 1 << 20], "work.zip"
    path = folder / "work.zip"
    path.write_bytes(data)
    return path


def attack(target):
    data, depth = build(pathlib.Path(target["folder"]), target).read_bytes(), 0
    while data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            data = archive.read(archive.namelist()[0])
        depth += 1
    return f"{depth} deep" if depth == 40 else ""
