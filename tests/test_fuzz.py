"""What the grader reads of others, a worker's answers and a student's hand-in, whatever bytes they are.

The fuzzers of `tests/fuzz` look longer and are guided by coverage; what they found is kept here. FUZZ_EXAMPLES=5000
makes these tests look longer too.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import tarfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.submission import read_submission
from grader.worker import received, wire
from tests.fuzz import fuzz_submission, fuzz_wire
from tests.fuzz.fuzz_submission import WAYS, hand_in, reads, zip64
from tests.fuzz.fuzz_wire import ERROR, HEADERS, LEFT, REST, answers, frame, recv_from

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "150"))
FUZZ = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
MEBIBYTE = 2**20


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The bytes with some of them set, flipped, cut, doubled, moved or left off."""
    at = chance.randrange(len(data) + 1)
    to = min(len(data), at + chance.choice([1, 1, 4, 40, 600]))
    ways: list[Callable[[], bytes]] = [
        lambda: data[:at] + chance.randbytes(to - at) + data[to:],
        lambda: data[:at] + bytes(byte ^ 1 << chance.randrange(8) for byte in data[at:to]) + data[to:],
        lambda: data[:at] + chance.choice([b"\0", b"\xff", b"9", b"["]) * (to - at) + data[to:],
        lambda: data[:at] + data[to:],
        lambda: data[:to] + data[at:],
        lambda: data[to:] + data[:at],
        lambda: data[:at],
    ]
    return chance.choice(ways)()


def framed(data: bytes) -> bytes:
    head, _, body = data.partition(b"\n")
    return frame(head, body)


def mutated_frame(chance: random.Random) -> bytes:
    data = chance.choice(fuzz_wire.seeds())
    for _ in range(chance.randint(1, 4)):
        data = fuzz_wire.mutate(data, chance, lambda data: damaged(data, chance))
    return damaged(framed(data), chance) if chance.random() < 0.2 else framed(data)


def mutated_hand_in(chance: random.Random, way: str = "") -> tuple[str, bytes]:
    way, body = chance.choice([seed for seed in fuzz_submission.seeds() if way in ("", seed[0])])
    data = way.encode() + b"\n" + body
    for _ in range(chance.randint(1, 4)):
        data = fuzz_submission.mutate(data, chance, lambda body: damaged(body, chance))
    way, _, _ = data.decode("latin-1").partition("\n")
    return way, data.partition(b"\n")[2]


# ── a worker's answers ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("data", fuzz_wire.seeds())
def test_right_answers_are_read(data: bytes) -> None:
    """Each kind of answer is read as one record: what is mutated below is right to begin with"""
    assert len(answers(framed(data))) == 1


@FUZZ
@given(st.binary(max_size=300), st.booleans())
def test_random_bytes_are_an_answer_or_refused(data: bytes, with_lengths: bool) -> None:
    """Bytes at random, with true lengths before them or without, give a plain record or a WireError"""
    answers(framed(data) if with_lengths else data)


@FUZZ
@given(st.randoms(use_true_random=False))
def test_damaged_answers_are_an_answer_or_refused(chance: random.Random) -> None:
    """An answer with bits, values or parts changed, cut, doubled or moved gives a plain record or a WireError"""
    answers(mutated_frame(chance))


odd_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.text(max_size=9)
    | st.sampled_from(["f8", "?", "O", "\ud800", "\U0001f600" * 3]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(["type", "line", "", "é"]), inner),
    max_leaves=8,
)
odd_arrays = st.lists(
    st.tuples(
        st.sampled_from(["f8", "?", "u1", "f2", "O", "c16"]), st.lists(st.integers(-1, 1 << 62) | st.integers(0, 3))
    ),
    max_size=6,
)


@FUZZ
@given(st.data(), st.sampled_from(HEADERS), st.binary(max_size=40))
def test_answers_that_are_nearly_right_are_an_answer_or_refused(data: st.DataObject, header: Any, body: bytes) -> None:
    """A right header with one to three values of another type or size gives a plain record or a WireError"""
    keys = data.draw(st.lists(st.sampled_from(sorted(header)), min_size=1, max_size=3))
    changed = {key: data.draw(odd_arrays if key in ("arrays", "left") else odd_values, key) for key in keys}
    answers(frame(json.dumps(header | changed).encode(), body))


OTHER = {"answer": "other", "type": "list", **LEFT, **REST}
LOADED = HEADERS[0]


@pytest.mark.parametrize(
    "header",
    [
        {"answer": "array", "arrays": [["f8", [0, 1 << 61]]], **REST, "left": []},
        {"answer": "array", "arrays": [["f8", [1 << 40, 0, 1 << 40]]], **REST, "left": []},
        {"answer": ["other"], "type": "list", **LEFT, **REST},
        OTHER | {"left": {}},
        OTHER | {"left": ""},
        OTHER | {"left": None},
        OTHER | {"output": None},
        OTHER | {"tried": "socket"},
        {"answer": "raised", **ERROR, **LEFT, **REST, "kinds": "ValueError"},
        {"answer": "raised", **ERROR, **LEFT, **REST, "line": True},
        {"answer": "raised", **ERROR, **LEFT, **REST, "line": 10**4000},
        {"answer": "huge", "shape": [-1], "dtype": "f8", **LEFT, **REST},
        {"answer": "huge", "shape": [10**4000], "dtype": "f8", **LEFT, **REST},
        LOADED | {"names": "softmax"},
        LOADED | {"names": {"softmax": 1}},
        LOADED | {"problems": ""},
        LOADED | {"problems": ["a"]},
        LOADED | {"problems": [ERROR | {"module": "a"}] * 21},
        LOADED | {"callable": 1},
        {"isolation": "rlimits", "python": "3.11", "numpy": "2.0"},
        {"isolation": [], "python": "3.11"},
        {},
    ],
    ids=lambda header: json.dumps(header)[-60:],
)
def test_what_is_not_to_the_letter_is_a_wire_error(header: dict[str, Any]) -> None:
    """A value missing or of another type, and a shape beyond NumPy's, are refused as such, never taken for a record"""
    body = b"" if header.get("left") == [] or "problems" in header else bytes(8)
    for reader in (received.read_loaded, received.read_response, lambda header, _: received.read_hello(header)):
        with pytest.raises(wire.WireError):
            reader(json.loads(json.dumps(header)), body)


@pytest.mark.parametrize(
    "head", ['{"a": 1e999}', '{"a": [-1e999]}', '{"a": 1, "a": 2}', '{"a": {"": 1, "": 1}}', '{"é": 1}']
)
def test_headers_say_each_thing_once_in_plain_ascii_and_finite_numbers(head: str) -> None:
    """A number that overflows, a name twice and what our own side never writes are refused"""
    with pytest.raises(wire.WireError):
        wire.parse_header(head.encode())


def full(unit: bytes, before: bytes = b'{"a":[', after: bytes = b"0]}") -> bytes:
    """A header as long as may be, of one part again and again."""
    return before + unit * ((wire.MAX_HEADER_BYTES - len(before) - len(after)) // len(unit)) + after


WORST = {
    "objects": full(b'{"":0},'),
    "lists": full(b"[],"),
    "numbers": full(b"0.0,"),
    "names": full(b'"\\u0100":0,', b"{", b'"":0}'),
    "texts": full(b'"\\u0100",'),
    "arrays": full(b'["?",[0]],', json.dumps(OTHER | {"left": []}).encode()[:-2] + b',"left":[', b'["?",[0]]]}'),
    "deep": full(b"["),
    "open text": full(b'\\"', b'{"a":"', b""),
    "quotes": full(b'"\\"'),
    "wide text": full(b" ", json.dumps(OTHER | {"left": []})[:-1].encode() + b',"more":"\\ud83d\\ude00', b'"}'),
    "digits": full(b"9"),
}


@pytest.mark.parametrize("name", WORST)
def test_no_answer_takes_more_than_a_few_frames_of_memory(name: str) -> None:
    """The headers that expand most, with the largest body, stay within three times the largest frame, and seconds"""
    data = frame(WORST[name], bytes(wire.MAX_BODY_BYTES))
    recv, began = recv_from(data), time.process_time()
    tracemalloc.start()
    try:
        header, body = wire.read(recv)
        received.read_response(header, body)
    except wire.WireError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 3 * wire.MAX_FRAME_BYTES
    assert time.process_time() - began < 3


def test_arrays_as_large_as_a_frame_take_no_more_than_it() -> None:
    """The largest body is copied once: what is kept of an answer is its own"""
    body = bytes(wire.MAX_BODY_BYTES)
    tracemalloc.start()
    (array,) = wire.arrays([["f4", [len(body) // 4]]], body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert array.flags.owndata
    assert peak < wire.MAX_BODY_BYTES + MEBIBYTE


# ── what is handed in ──────────────────────────────────────────────────────────────────────────────


@FUZZ
@given(data=st.binary(max_size=2_000), way=st.sampled_from(WAYS))
def test_random_bytes_are_a_submission(tmp_path_factory: pytest.TempPathFactory, data: bytes, way: str) -> None:
    """Any bytes, handed in in any way, give a submission that keeps its promises"""
    reads(hand_in(way, data, tmp_path_factory.getbasetemp()))


@pytest.mark.parametrize("way", WAYS)
@FUZZ
@given(chance=st.randoms(use_true_random=False))
def test_damaged_work_is_a_submission(
    tmp_path_factory: pytest.TempPathFactory, chance: random.Random, way: str
) -> None:
    """Work with bytes, names or headers changed, cut, doubled or moved gives a submission, in little time"""
    began = time.process_time()
    reads(hand_in(*mutated_hand_in(chance, way), tmp_path_factory.getbasetemp()))
    assert time.process_time() - began < 5


@pytest.mark.parametrize("place", [1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
def test_a_zip_that_names_an_impossible_place_is_broken(tmp_path: Path, place: int) -> None:
    """A member that stands beyond what a file can hold ends in a note, not in an OverflowError"""
    (tmp_path / "hw.zip").write_bytes(zip64(place))
    assert "broken or cut short" in read_submission(tmp_path / "hw.zip").notes[0]


def tar_header(kind: bytes, size: int = 0) -> bytes:
    info = tarfile.TarInfo("softmax.py")
    info.type, info.size = kind, size
    return info.tobuf(tarfile.USTAR_FORMAT)


@pytest.mark.parametrize(
    "part",
    [
        tar_header(b"x", MEBIBYTE) + b"2 " * (MEBIBYTE // 2),
        tar_header(b"x", 512) + b"2 " * 256,
        tar_header(b"x", 512) + b"13 path=a.py\n".ljust(512, b"\0"),
    ],
    ids=["long extensions", "many extensions", "extended again"],
)
def test_a_tar_of_headers_takes_bounded_time(tmp_path: Path, part: bytes) -> None:
    """A small .tar.gz of nothing but extended headers is refused in seconds, however much it unpacks to"""
    (tmp_path / "hw.tar.gz").write_bytes(gzip.compress(part * (104 * MEBIBYTE // len(part)), 1))
    began = time.process_time()
    assert "too long headers" in read_submission(tmp_path / "hw.tar.gz").notes[0]
    assert time.process_time() - began < 8


def test_many_members_with_extended_headers_are_no_harm(tmp_path: Path) -> None:
    """A tar of thousands of members that each have an extended header, as packers write, is read"""
    header = tar_header(b"x", 512) + b"".join(b"%d mtime=1.5\n" % 13 for _ in range(5)).ljust(512, b"\0")
    data = (header + tar_header(b"0")) * 4_000 + bytes(1024)
    (tmp_path / "hw.tar.gz").write_bytes(gzip.compress(data, 1))
    assert [module.name for module in read_submission(tmp_path / "hw.tar.gz").modules] == ["softmax"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other links and names")
@pytest.mark.parametrize("link", ["softmax.py", "work.ipynb", "exercises", "data"])
@pytest.mark.parametrize("target", ["n" * 300, "n/" * 2_000, "{link}", "."], ids=["name", "path", "circle", "itself"])
def test_a_link_to_an_impossible_name_is_not_followed(tmp_path: Path, link: str, target: str) -> None:
    """A link whose target is too long to exist, or is itself, is the student's: a note, no error of the machine"""
    (tmp_path / link).symlink_to(target.format(link=link))
    assert any(link in note for note in read_submission(tmp_path).notes)


@pytest.mark.skipif(os.name == "nt", reason="Windows refuses such names itself")
def test_names_that_are_shown_alike_stay_apart(tmp_path: Path) -> None:
    """Files whose names differ only in what cannot be shown have module names of their own"""
    for name in ("a\x01.py", "a\x02.py", "b\udcff.py", "b\udcfe.ipynb"):
        (tmp_path / name).write_text('{"cells": []}')
    names = [module.name for module in read_submission(tmp_path).modules]
    assert len(set(names)) == 4
    assert all(name.isprintable() for name in names)


@pytest.mark.skipif(os.name == "nt", reason="Windows has other lengths")
def test_a_path_too_long_to_open_is_left_out(tmp_path: Path) -> None:
    """Folders nested until the system can no longer name them are noted as an archive's are, and the rest is read"""
    (tmp_path / "softmax.py").write_text("x = 1\n")
    here, deepest = os.open(tmp_path, os.O_RDONLY), []
    try:
        for _ in range(16):
            os.mkdir("d" * 250, dir_fd=here)
            deepest.append(here)
            here = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(os.open("work.py", os.O_CREAT, dir_fd=here))
        submission = read_submission(tmp_path)
    finally:
        for each in [*deepest, here]:
            os.close(each)
    assert [module.file for module in submission.modules] == ["softmax.py"]
    assert "too long a path" in submission.notes[0]


# ── in the long run ────────────────────────────────────────────────────────────────────────────────


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(step: Callable[[], object], times: int) -> int:
    """How many bytes more are resident after a step was taken so many times, once it has warmed up."""
    for _ in range(times // 10):
        step()
    before = resident_bytes()
    for _ in range(times):
        step()
    return resident_bytes() - before


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells what is resident")
def test_reading_many_answers_keeps_no_memory() -> None:
    """Twenty thousand damaged answers leave the process as large as it was"""
    chance = random.Random(1)
    assert growth(lambda: answers(mutated_frame(chance)), 20_000) < 16 * MEBIBYTE


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells what is resident")
def test_reading_many_submissions_keeps_no_memory(tmp_path: Path) -> None:
    """Two thousand damaged hand-ins leave the process as large as it was"""
    chance = random.Random(1)
    assert growth(lambda: reads(hand_in(*mutated_hand_in(chance), tmp_path)), 2_000) < 32 * MEBIBYTE
