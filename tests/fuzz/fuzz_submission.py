"""Fuzz the reading of what a student hands in, guided by coverage.

    python tests/fuzz/fuzz_submission.py -max_total_time=300 [CORPUS]

Needs atheris beside the project's own packages. An input's first line says how the rest is handed in: as the bytes of
a .py, .ipynb, .zip or .tar, the same gzipped, or as a folder, one file a line. Whatever is neither a submission nor a
documented error ends the run, and libFuzzer keeps the input.
"""

from __future__ import annotations

import ast
import gzip
import io
import json
import os
import random
import re
import shutil
import struct
import sys
import tarfile
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

WAYS = ("py", "ipynb", "zip", "tar", "tar.gz", "gz", "folder")
SOURCE = "# coding: utf-8\ndef softmax(x, axis=-1):\n    return x\n"
CELLS = [
    "%%time\nimport grader\ngrader.check(f)\n",
    SOURCE,
    "!ls\nx = '''\n%no'''\ny?",
    "%%bash\nls",
    "(",
    "from grader import *",
]
FILES = {"softmax.py": SOURCE, "hw/a/__init__.py": "from .b import *", "é.ipynb": '{"cells": []}', "l.zip": ""}
WORKSPACE = {"hw/exercises/softmax.py": SOURCE, "hw/notes.py": "", f"hw/exercises/{'d' * 99}/{'é' * 60}.py": SOURCE}
ODD_NAMES = [
    "a\x01.py",
    "a\x02.py",
    "..py",
    " .PY",
    "a/b.py/c.py",
    "\udcff.py",
    "x" * 200 + ".py",
    "exercises",
    "a.b.py",
]
ODD_TEXTS = [
    "# coding: punycode\n",
    "# coding: utf-16-le\n",
    "\0",
    "\ufeff",
    "\x0c",
    "\\\n",
    "'''",
    "lambda:(" * 90,
    "\r",
]


def notebook() -> bytes:
    """A notebook of format 4 with magics, locked cells and calls of the grader."""
    extra = {"metadata": {"nbgrader": {"locked": False}}, "outputs": []}
    cells = [
        {"cell_type": "code", "source": text, "execution_count": number, **extra} for number, text in enumerate(CELLS)
    ]
    return json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}).encode()


def packed(way: str, files: dict[str, str]) -> bytes:
    """An archive of these files."""
    buffer = io.BytesIO()
    if way == "zip":
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return buffer.getvalue()
    with tarfile.open(
        fileobj=buffer, mode="w", format={"pax": tarfile.PAX_FORMAT, "gnu": tarfile.GNU_FORMAT}[way]
    ) as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


def zip64(place: int) -> bytes:
    """A zip of one source that is said to start at `place`, in the words for zips beyond 4 GiB."""
    data = packed("zip", {"softmax.py": SOURCE})
    table, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    entry = bytearray(data[table:end]) + struct.pack("<HHQHHQ", 1, 8, place, 0xCAFE, 8, 0)
    entry[30:32], entry[42:46] = struct.pack("<H", 24), b"\xff" * 4
    return data[:table] + entry + data[end : end + 12] + struct.pack("<I", len(entry)) + data[end + 16 :]


@cache
def seeds() -> tuple[tuple[str, bytes], ...]:
    """Something right for each way of handing in."""
    return (
        ("py", SOURCE.encode()),
        ("ipynb", notebook()),
        ("zip", packed("zip", FILES)),
        ("zip", packed("zip", WORKSPACE)),
        ("zip", zip64(0)),
        ("zip", zip64((1 << 63) - 1)),
        ("tar", packed("pax", WORKSPACE)),
        ("tar.gz", packed("gnu", WORKSPACE | FILES)),
        ("gz", gzip.compress(packed("pax", FILES))),
        ("folder", "\n".join(FILES).encode()),
        ("folder", "\n".join(WORKSPACE).encode() + b"\n>hw/exercises/link.py"),
    )


def with_checksums(data: bytes) -> bytes:
    """A tar whose headers pass their checksum, so that what they say is met."""
    made = bytearray(data)
    for start in range(0, len(made) - 511, 512):
        block = made[start : start + 512]
        if block[257:262] == b"ustar":
            made[start + 148 : start + 156] = b"%06o\0 " % (256 + sum(block[:148]) + sum(block[156:]))
    return bytes(made)


def hand_in(way: str, data: bytes, folder: Path) -> Path:
    """Write an input as what its way says; the path to read."""
    if way == "folder":
        return fill(folder / "work", data)
    if way.startswith("tar"):
        data = with_checksums(data)
    path = folder / f"work.{'tar.gz' if way == 'gz' else way}"
    path.write_bytes(gzip.compress(data, 1) if way == "tar.gz" else data)
    return path


def fill(folder: Path, names: bytes) -> Path:
    """A folder with a file for each line; a line after `>` is a link to the line before it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    target = "."
    for line in map(os.fsdecode, names.split(b"\n")[:30]):
        path = folder.joinpath(*[part for part in line.lstrip("/>").split("/") if part != ".."])
        with suppress(OSError, ValueError):
            path.parent.mkdir(parents=True, exist_ok=True)
            if line.startswith(">"):
                path.symlink_to(target)
            else:
                path.write_text(line, "utf-8", "surrogateescape")
        target = line
    return folder


def reads(path: Path) -> None:
    """Read a submission. Fails where the reader, or what is asked of its text, does what it does not promise."""
    from grader.errors import UsageError
    from grader.submission import breaks, line_at, locate, place, read_submission

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            submission = read_submission(path)
        except UsageError:
            return
    assert submission.modules or submission.notes
    assert all(note.isprintable() for note in (*submission.notes, submission.path))
    names = [module.name for module in submission.modules]
    assert len(set(names)) == len(names)
    for module in submission.modules:
        assert module.name.isprintable()
        assert module.file.isprintable()
        (module.text + module.broken + module.problem + "".join(module.notes)).encode()
        assert "\r" not in module.text
        assert place(module, 1)
        assert line_at(module, 1).isprintable()
        if not module.problem:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(module.text)
        breaks(module, "softmax")
    for function in ("softmax", "attention"):
        found = locate(submission, function, function)
        assert found is None or found in submission.modules


def odd(way: str, data: bytes, chance: random.Random) -> bytes:
    """An input with an odd name, text, number or block in it, or one part of it moved."""
    at = chance.randrange(len(data) + 1)
    if way.startswith("tar") and chance.random() < 0.6:
        at, field = at // 512 * 512, chance.choice([(0, 100), (124, 136), (156, 157), (345, 500)])
        value = chance.choice(
            [b"\xff" * 12, b"\x80" + b"\0" * 10 + b"\x01", b"7" * 11, b"x", b"L", b"g", b"S", b"../a.py"]
        )
        start, end = at + field[0], min(at + field[1], at + field[0] + len(value))
        return data[:start] + value[: end - start] + data[end:]
    if way == "zip" and chance.random() < 0.5:
        at = chance.choice([found.start() for found in re.finditer(b"PK", data)] or [0]) + chance.randrange(70)
        value = chance.choice([b"\xff", b"\0", b"\x7f"]) * chance.choice([1, 2, 4, 8])
        return data[:at] + value + data[at + len(value) :]
    insert = chance.choice([name.encode("utf-8", "surrogateescape") for name in ODD_NAMES + CELLS + ODD_TEXTS])
    if way == "folder":
        return data[:at] + b"\n" + chance.choice([b"", b">"]) + insert
    if way == "ipynb":
        insert = json.dumps(insert.decode("utf-8", "replace")).encode()[1:-1] if chance.random() < 0.8 else insert
    return data[:at] + insert + data[at + chance.choice([0, 0, len(insert)]) :]


def mutate(data: bytes, chance: random.Random, otherwise: Callable[[bytes], bytes]) -> bytes:
    """One step away from an input, which stays handed in as it was but for one time in twenty."""
    head, _, body = data.partition(b"\n")
    way = head.decode("latin-1")
    if way not in WAYS or chance.random() < 0.05:
        way, body = chance.choice(seeds())
    return way.encode() + b"\n" + (odd(way, body, chance) if chance.random() < 0.5 else otherwise(body))


def main(arguments: Sequence[str]) -> None:
    """Run libFuzzer with its own options, beginning with the seeds."""
    import atheris

    with atheris.instrument_imports(include=["grader", "zipfile", "tarfile", "tokenize", "gzip", "json"]):
        import tokenize  # noqa: F401

        from grader import archive, notebook, submission  # noqa: F401

    with tempfile.TemporaryDirectory() as name:
        folder, corpus = Path(name) / "handed in", Path(name) / "corpus"
        folder.mkdir()
        corpus.mkdir()
        for number, (way, data) in enumerate(seeds()):
            (corpus / str(number)).write_bytes(way.encode() + b"\n" + data)

        def one_input(data: bytes) -> None:
            way, _, body = data.partition(b"\n")
            if (known := way.decode("latin-1")) in WAYS:
                reads(hand_in(known, body, folder))

        def step(data: bytes, most: int, seed: int) -> bytes:
            return mutate(data, random.Random(seed), lambda body: atheris.Mutate(body, max(1, most - 8)))[:most]

        atheris.Setup([*arguments, str(corpus)], one_input, custom_mutator=step)
        atheris.Fuzz()


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main(sys.argv)
