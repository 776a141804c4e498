"""The wire between grader and worker: a frame is a small JSON header and raw array bytes, nothing else.

A frame is two big-endian 32-bit lengths, the header (JSON in ASCII, an object) and the body: the bytes of
the arrays that the header describes, one after the other. No pickle, no eval, no object arrays. What
does not parse to the letter is a `WireError`; no frame is larger than `MAX_FRAME_BYTES`, and reading one takes no more
than a few times that.
"""

from __future__ import annotations

import json
import math
import re
import socket
import struct
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

AnyArray: TypeAlias = NDArray[np.generic]

MAX_HEADER_BYTES = 4 << 20
MAX_BODY_BYTES = 16 << 20
MAX_FRAME_BYTES = MAX_HEADER_BYTES + MAX_BODY_BYTES
MAX_ARRAY_BYTES = 2 << 20  # an answer larger than this is larger than any right one
MAX_VALUES = 20_000  # of an answer's header, names among them: a small one takes thirty times its bytes in memory
MAX_ITEMS = 4
MAX_DIMENSIONS = 32

# A string, or what each further value comes after. Possessive, and in no need of the closing quote: one pass alone.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[,\[{]', re.DOTALL)
_LENGTHS = struct.Struct(">II")
_DTYPES = {name: np.dtype(name) for name in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}

_encode = json.JSONEncoder(allow_nan=False).encode

Recv: TypeAlias = Callable[[int], bytes]


class WireError(Exception):
    """Bytes that are no frame of this protocol."""


def is_plain(array: AnyArray) -> bool:
    """Whether an array is of a type that may cross: boolean, integer, float16, float32 or float64."""
    return array.dtype in _NAMES


def bits(value: Any) -> Any:
    """What two arguments, arrays or whole numbers, share where they are the same to the bit, and only there."""
    return (value.dtype, value.shape, value.tobytes()) if hasattr(value, "dtype") else (type(value), value)


def describe(array: AnyArray) -> list[Any]:
    """The header's entry for an array: its type's name and its shape."""
    return [_NAMES[array.dtype], list(array.shape)]


def in_json(value: object) -> bytes:
    """A header, or a part of one, as frames have it."""
    return _encode(value).encode()


def body_of(arrays: Iterable[AnyArray]) -> bytes:
    """The bytes of arrays of plain types, one after the other."""
    return b"".join([array.tobytes() for array in arrays])


def frame(head: bytes, body: bytes = b"") -> bytes:
    """One frame, ready to be sent, of a header in JSON and a body."""
    return _LENGTHS.pack(len(head), len(body)) + head + body


def encode(header: dict[str, Any], arrays: Sequence[AnyArray] = ()) -> bytes:
    """One frame of a header and the arrays that it describes."""
    return frame(in_json(header), body_of(arrays))


def read(recv: Recv, *, trusted: bool = False) -> tuple[dict[str, Any], bytes]:
    """Read one frame with `recv(n)`, which returns exactly n bytes or raises. Raises WireError.

    Only a worker trusts the other side: a submission's sources may be larger than any answer.
    """
    head_size, body_size = _LENGTHS.unpack(recv(_LENGTHS.size))
    if not trusted and (head_size > MAX_HEADER_BYTES or body_size > MAX_BODY_BYTES):
        raise WireError("a frame larger than any answer")
    head = recv(head_size)
    if not trusted and head_size > MAX_VALUES and any(islice(_TOKEN.finditer(head), MAX_VALUES, None)):
        raise WireError("a header of more values than any answer")
    return parse_header(head), recv(body_size)


def parse_header(data: bytes) -> dict[str, Any]:
    """The header as a dict. Raises WireError for anything but one strict JSON object, no name twice, numbers finite."""
    try:
        header = _DECODER.decode(data.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise WireError("a header that is not JSON") from error
    if not isinstance(header, dict):
        raise WireError("a header that is not an object")
    return header


def arrays(descriptions: object, body: bytes) -> tuple[AnyArray, ...]:
    """The arrays that `descriptions` promise, which must use up `body` exactly. Raises WireError."""
    if not isinstance(descriptions, list):
        raise WireError("arrays that are not a list")
    found, start = [], 0
    for description in descriptions:
        dtype, shape = _parse(description)
        count = math.prod(shape)
        end = start + dtype.itemsize * count
        if end > len(body):
            raise WireError("fewer bytes than the arrays need")
        found.append(_array(body, dtype, shape, start, count))
        start = end
    if start != len(body):
        raise WireError("more bytes than the arrays need")
    return tuple(found)


def _array(body: bytes, dtype: np.dtype[Any], shape: list[int], start: int, count: int) -> AnyArray:
    if not count:
        return _empty(dtype, shape)
    return np.frombuffer(body, dtype, count, start).reshape(shape).copy()


def _empty(dtype: np.dtype[Any], shape: list[int]) -> AnyArray:
    try:
        return np.empty(shape, dtype)
    except ValueError as error:  # no bytes at all, and yet a dimension beyond NumPy's
        raise WireError("an array of an impossible shape") from error


def _parse(description: object) -> tuple[np.dtype[Any], list[int]]:
    match description:
        case [str() as name, list() as shape] if name in _DTYPES and len(shape) <= MAX_DIMENSIONS:
            for size in shape:
                if type(size) is not int or not 0 <= size < 1 << 62:
                    break
            else:
                return _DTYPES[name], shape
    raise WireError("an array of an unknown type or shape")


def _refuse(constant: str) -> None:
    raise WireError(f"{constant} in a header")


def _finite(number: str) -> float:
    if not math.isfinite(value := float(number)):
        _refuse("a number out of range")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(found := dict(pairs)) < len(pairs):
        raise WireError("a name twice in a header")
    return found


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_object)


def receive_exactly(channel: socket.socket) -> Recv:
    """A blocking `recv` for `read`. Raises EOFError when the other side is gone."""

    def recv(size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            chunk = channel.recv(size - len(data))
            if not chunk:
                raise EOFError
            data += chunk
        return bytes(data)

    return recv
