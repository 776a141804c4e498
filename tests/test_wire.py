"""The wire is a trust boundary: whatever is no frame to the letter is a WireError, never a value."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.worker import wire

PLAIN = st.sampled_from(["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"])


def recv_from(data: bytes) -> Callable[[int], bytes]:
    rest = memoryview(data)

    def recv(size: int) -> bytes:
        nonlocal rest
        if len(rest) < size:
            raise EOFError
        chunk, rest = bytes(rest[:size]), rest[size:]
        return chunk

    return recv


def frame(header: bytes, body: bytes = b"") -> bytes:
    return struct.pack(">II", len(header), len(body)) + header + body


@given(st.lists(PLAIN.flatmap(lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, min_side=0))), max_size=4))
def test_arrays_cross_bit_for_bit(arrays: list[wire.AnyArray]) -> None:
    """What is sent is what is read: type, shape and every bit, nan payloads included."""
    sent = wire.encode({"arrays": [wire.describe(array) for array in arrays]}, arrays)
    header, body = wire.read(recv_from(sent))
    for before, after in zip(arrays, wire.arrays(header["arrays"], body), strict=True):
        assert (before.dtype, before.shape, before.tobytes()) == (after.dtype, after.shape, after.tobytes())
        assert after.flags.writeable
        assert after.flags.aligned


@given(st.binary(max_size=200))
def test_random_bytes_are_refused(data: bytes) -> None:
    """Bytes at random end as a WireError or as an early end, and nothing else."""
    try:
        header, body = wire.read(recv_from(data))
        wire.arrays(header.get("arrays"), body)
    except (wire.WireError, EOFError):
        pass


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"null",
        b"[]",
        b"1",
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b"\xff\xfe",
        b'{"a":',
        b"[" * 100_000,
        b'"' + b"x" * 9,
    ],
)
def test_headers_are_strict_json_objects(header: bytes) -> None:
    """Anything but one JSON object of finite numbers is refused."""
    with pytest.raises(wire.WireError):
        wire.read(recv_from(frame(header)))


@pytest.mark.parametrize(
    "description",
    [
        ["O", [1]],
        ["f16", [1]],
        ["c16", [1]],
        ["<f8", [1]],
        ["f8", [-1]],
        ["f8", [2]],
        ["f8", [True]],
        ["f8", [1.0]],
        ["f8", "1"],
        ["f8"],
        "f8",
        None,
        ["f8", [1], 0],
        ["f8", [1 << 62, 1 << 62]],
        ["f8", [0] * 33],
        [["f8"], [1]],
    ],
)
def test_descriptions_are_of_plain_types_and_fit_the_body(description: object) -> None:
    """A type outside the list, a shape that is none, or one that does not fit the bytes is refused."""
    with pytest.raises(wire.WireError):
        wire.arrays([description], b"12345678")


@pytest.mark.parametrize("body", [b"", b"1234567", b"123456789"])
def test_bodies_are_used_up_exactly(body: bytes) -> None:
    """Neither a byte too few nor one too many."""
    with pytest.raises(wire.WireError):
        wire.arrays([["f8", [1]]], body)


def test_no_frame_is_larger_than_the_bound() -> None:
    """The lengths alone are enough to refuse a flood: not a byte of it is read."""
    asked: list[int] = []

    def recv(size: int) -> bytes:
        asked.append(size)
        return struct.pack(">II", wire.MAX_HEADER_BYTES + 1, 0)

    with pytest.raises(wire.WireError):
        wire.read(recv)
    assert asked == [8]


def test_infinities_of_a_header_are_never_sent() -> None:
    """What cannot be read strictly cannot be written either."""
    with pytest.raises(ValueError, match="JSON"):
        wire.encode({"a": float("nan")})
    assert json.loads(wire.encode({"a": "\ud800"})[8:]) == {"a": "\ud800"}
    assert not wire.is_plain(np.array([1j]))
