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
from collections.abc import Callable, Sequence
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

Recv: TypeAlias = Callable[[int], bytes]


class WireError(Exception):
    """Bytes that are no frame of this protocol."""


def is_plain(array: AnyArray) -> bool:
    """Whether an array is of a type that may cross: boolean, integer, float16, float32 or float64."""
    return array.dtype in _NAMES


def same(one: Any, other: Any) -> bool:
    """Whether two arguments, arrays or whole numbers, are the same to the bit."""
    if not hasattr(one, "dtype") or not hasattr(other, "dtype"):
        return type(one) is type(other) and bool(one == other)
    return bool(one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes())


def describe(array: AnyArray) -> list[Any]:
    """The header's entry for an array: its type's name and its shape."""
    return [_NAMES[array.dtype], list(array.shape)]


def encode(header: dict[str, Any], arrays: Sequence[AnyArray] = ()) -> bytes:
    """One frame, ready to be sent. `arrays` are of plain types; the header describes them."""
    head = json.dumps(header, allow_nan=False).encode()
    body = b"".join(array.tobytes() for array in arrays)
    return _LENGTHS.pack(len(head), len(body)) + head + body


def read(recv: Recv, *, trusted: bool = False) -> tuple[dict[str, Any], bytes]:
    """Read one frame with `recv(n)`, which returns exactly n bytes or raises. Raises WireError.

    Only a worker trusts the other side: a submission's sources may be larger than any answer.
    """
    head_size, body_size = _LENGTHS.unpack(recv(_LENGTHS.size))
    if not trusted and (head_size > MAX_HEADER_BYTES or body_size > MAX_BODY_BYTES):
        raise WireError("a frame larger than any answer")
    head = recv(head_size)
    if not trusted and any(islice(_TOKEN.finditer(head), MAX_VALUES, None)):
        raise WireError("a header of more values than any answer")
    return parse_header(head), recv(body_size)


def parse_header(data: bytes) -> dict[str, Any]:
    """The header as a dict. Raises WireError for anything but one strict JSON object, no name twice, numbers finite."""
    try:
        text = data.decode("ascii")
        header = json.loads(text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_object)
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
        size = dtype.itemsize * math.prod(shape)
        if start + size > len(body):
            raise WireError("fewer bytes than the arrays need")
        found.append(_array(memoryview(body)[start : start + size], dtype, shape))
        start += size
    if start != len(body):
        raise WireError("more bytes than the arrays need")
    return tuple(found)


def _array(data: memoryview, dtype: np.dtype[Any], shape: tuple[int, ...]) -> AnyArray:
    try:
        return np.frombuffer(data, dtype).reshape(shape).copy()
    except ValueError as error:  # no bytes at all, and yet a dimension beyond NumPy's
        raise WireError("an array of an impossible shape") from error


def _parse(description: object) -> tuple[np.dtype[Any], tuple[int, ...]]:
    match description:
        case [str() as name, list() as shape] if name in _DTYPES and len(shape) <= MAX_DIMENSIONS:
            if all(type(size) is int and 0 <= size < 1 << 62 for size in shape):
                return _DTYPES[name], tuple(shape)
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
