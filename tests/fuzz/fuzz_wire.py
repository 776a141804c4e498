"""Fuzz the host's reading of a worker's answers, guided by coverage.

    python tests/fuzz/fuzz_wire.py -max_total_time=300 [CORPUS]

Needs atheris beside the project's own packages. An input is a header and, after the first line end, a body; one that
starts with a zero byte is taken as a frame with its lengths. Whatever is neither a record nor a documented refusal
ends the run, and libFuzzer keeps the input.
"""

from __future__ import annotations

import json
import random
import struct
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

ERROR = {"type": "ValueError", "kinds": ["ValueError", "Exception"], "message": "no", "file": "a.py", "line": 3}
REST: dict[str, Any] = {"token": "", "output": "seen\n", "tried": ["socket"]}
LEFT = {"left": [["f8", [1]]]}
HEADERS: list[dict[str, Any]] = [
    {"answer": "loaded", "callable": True, "names": ["softmax"], "problems": [ERROR | {"module": "a"}], **REST},
    {"answer": "array", "arrays": [["f4", [1, 2]]], **LEFT, **REST},
    {"answer": "items", "arrays": [["?", []], ["f2", [2, 0]]], **LEFT, **REST},
    {"answer": "other", "type": "list", **LEFT, **REST},
    {"answer": "huge", "shape": [1 << 20, 9], "dtype": "float64", **LEFT, **REST},
    {"answer": "raised", **ERROR, **LEFT, **REST},
    {"isolation": ["rlimits", "seccomp"], "python": "3.11", "numpy": "2.0"},
]
ODD: list[Any] = [None, True, 0, -1, 1 << 31, 1 << 61, 1 << 62, 10**400, 0.5, "", "\ud800", "\U0001f600", "f8", [], {}]
ODD += [["f8", [0, 1 << 61]], ["O", [1]], ["?", [3]], [[[[]]]], "x" * 70_000, ["a"] * 21, [0] * 33, {"": {"": 0}}]


def frame(head: bytes, body: bytes) -> bytes:
    """A frame whose lengths are true."""
    return struct.pack(">II", len(head), len(body)) + head + body


def recv_from(data: bytes) -> Callable[[int], bytes]:
    """What `wire.read` reads from: `data`, and then nothing."""
    position = 0

    def recv(size: int) -> bytes:
        nonlocal position
        if position + size > len(data):
            raise EOFError
        position += size
        return data[position - size : position]

    return recv


def answers(data: bytes) -> list[Any]:
    """The records that a frame can be read as. Fails where a reader does what it does not promise."""
    from grader.worker import received, wire

    found = []
    try:
        header, body = wire.read(recv_from(data))
    except (wire.WireError, EOFError):
        return []
    for reader in (received.read_loaded, received.read_response, lambda header, _: received.read_hello(header)):
        try:
            found.append(reader(header, body))
        except wire.WireError:
            continue
    for record in found:
        check(record)
    return found


def check(value: Any) -> None:
    """Whether a record holds the plain values that its consumers expect."""
    import numpy as np

    from grader.worker import wire

    if is_dataclass(value):
        for field in fields(value):
            check(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            check(item)
    elif isinstance(value, np.ndarray):
        assert type(value) is np.ndarray
        assert wire.is_plain(value)
        assert value.flags.owndata
        assert value.flags.writeable
        assert value.nbytes <= wire.MAX_BODY_BYTES
    elif isinstance(value, str):
        assert len(value) <= 20 * 66_000
    else:
        assert value is None or isinstance(value, bool) or (type(value) is int and abs(value) < 1 << 63)


def seeds() -> list[bytes]:
    """Right answers of every kind."""
    bodies = {"array": bytes(16), "items": bytes(9), "loaded": b""}
    return [
        json.dumps(header).encode() + b"\n" + bodies.get(header.get("answer", "loaded"), bytes(8)) for header in HEADERS
    ]


def nearly(header: Any, chance: random.Random) -> Any:
    """A header with one value, at any depth, made odd, left out or doubled."""
    if isinstance(header, dict) and header and chance.random() < 0.9:
        key = chance.choice(list(header))
        changed = {**header, key: nearly(header[key], chance)}
        if chance.random() < 0.1:
            del changed[key]
        return changed
    if isinstance(header, list) and header and chance.random() < 0.8:
        at = chance.randrange(len(header))
        instead = chance.choice([[nearly(header[at], chance)]] * 4 + [[], header[at : at + 1] * chance.choice([2, 30])])
        return [*header[:at], *instead, *header[at + 1 :]]
    return chance.choice(ODD)


def mutate(data: bytes, chance: random.Random, otherwise: Callable[[bytes], bytes]) -> bytes:
    """One step away from an input: by its structure where it has one, else by `otherwise`."""
    head, end, body = data.partition(b"\n")
    try:
        header = json.loads(head)
    except (ValueError, RecursionError):
        header = None
    way = chance.random()
    if header is None or way < 0.4:
        return otherwise(data)
    if way < 0.8:
        return json.dumps(nearly(header, chance)).encode() + end + body
    if way < 0.9:
        return head + end + chance.choice([b"", bytes(chance.randrange(40)), chance.randbytes(8), body + b"\0"])
    cut, other = chance.randrange(len(head) + 1), chance.choice(seeds())
    return head[:cut] + other[chance.randrange(len(other)) :] + body


def one_input(data: bytes) -> None:
    """What the fuzzer calls."""
    head, _, body = data.partition(b"\n")
    answers(data if data[:1] == b"\0" else frame(head, body))


def main(arguments: Sequence[str]) -> None:
    """Run libFuzzer with its own options; a corpus of right answers is made where none is named."""
    import atheris

    with atheris.instrument_imports(include=["grader", "json"]):
        import json.decoder  # noqa: F401

        from grader.worker import received, wire  # noqa: F401

    def step(data: bytes, most: int, seed: int) -> bytes:
        return mutate(data, random.Random(seed), lambda data: atheris.Mutate(data, most))[:most]

    with tempfile.TemporaryDirectory() as folder:
        for number, data in enumerate(seeds()):
            (Path(folder) / str(number)).write_bytes(data)
        atheris.Setup([*arguments, folder], one_input, custom_mutator=step)
        atheris.Fuzz()


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main(sys.argv)
