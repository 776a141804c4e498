"""What student code returned or raised, as the wire carries it. Runs beside student code, as `child` does."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

import numpy as np

from grader.worker import wire

MESSAGE_CHARACTERS = 2_000
NAME_CHARACTERS = 80
MOST_DIMENSIONS = 8


def plain(value: Any) -> np.ndarray[Any, Any] | None:
    """A number or array as a plain native array of real numbers, masked entries as nan; None for anything else."""
    if not isinstance(value, (np.ndarray, np.generic, bool, int, float)):
        return None
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        value = np.ma.filled(value.astype(np.float64), np.nan)
    array = np.asarray(float(value) if type(value) is int and value.bit_length() > 63 else value)
    if _is_huge(array) and array.dtype.kind in "biuf":
        return array
    array = array.astype(np.float64 if array.dtype.char == "g" else array.dtype.newbyteorder("="), copy=False)
    return array if wire.is_plain(array) else None


def _is_huge(array: Any) -> bool:
    """Whether an array is larger than any right answer, in bytes or in dimensions."""
    return bool(array.nbytes > wire.MAX_ARRAY_BYTES or array.ndim > MOST_DIMENSIONS)


def kind_of(value: Any) -> str:
    """What a value that is no array of real numbers is, for a message."""
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{np.asarray(value).dtype.name} array"[:NAME_CHARACTERS]
    return type(value).__name__[:NAME_CHARACTERS]


def classify(value: Any) -> tuple[dict[str, Any], list[Any]]:
    """One of the wire's answers for what the student's function returned, and its arrays."""
    if isinstance(value, tuple):
        items = [plain(item) for item in value[: wire.MAX_ITEMS + 1]]
        small = [item for item in items if item is not None and not _is_huge(item)]
        if len(small) == len(value) and len(value) <= wire.MAX_ITEMS:
            return {"answer": "items", "arrays": [wire.describe(item) for item in small]}, small
        return {"answer": "other", "type": kind_of(value)}, []
    array = plain(value)
    if array is None:
        return {"answer": "other", "type": kind_of(value)}, []
    if _is_huge(array):
        return {"answer": "huge", "shape": [int(size) for size in array.shape], "dtype": array.dtype.name}, []
    return {"answer": "array", "arrays": [wire.describe(array)]}, [array]


def left_of(argument: Any) -> Any:
    """What is left of an array argument; an empty array where it can no longer be sent."""
    fits = wire.is_plain(argument) and argument.nbytes <= wire.MAX_ARRAY_BYTES
    return argument if fits else np.empty(0)


def raised(error: BaseException, files: set[str]) -> dict[str, Any]:
    """An exception as plain words: its type, what it is a kind of, its message, the last line in `files`."""
    file, line = "", 0
    if isinstance(error, SyntaxError) and error.filename in files:
        file, line = error.filename or "", error.lineno or 0
    for frame, number in _frames(error):
        if frame in files:
            file, line = frame, number
    return {
        "type": type(error).__name__[:NAME_CHARACTERS],
        "kinds": [kind.__name__ for kind in type(error).__mro__ if getattr(builtins, kind.__name__, None) is kind],
        "message": _message(error),
        "file": file,
        "line": line,
    }


def _frames(error: BaseException) -> Iterator[tuple[str, int]]:
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next


def _message(error: BaseException) -> str:
    try:
        return str(error)[:MESSAGE_CHARACTERS]
    except BaseException:  # the student's own __str__
        return ""
