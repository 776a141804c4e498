"""What an answer that is no array means: the code it is an observation of, and the sentence a learner reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.report import Answer, Ended, Huge, Items, Other, Raised, Response

MOST_KEPT_BYTES = 8 << 20  # of the answers to one exercise's tests, or to a model's probes

Place = Callable[[str, int], str]  # (file, line) -> "softmax.py, line 12: e = np.exp(x)"

_KINDS = {
    "NoneType": "None",
    "list": "a list",
    "dict": "a dict",
    "tuple": "a tuple",
    "str": "a text",
    "object array": "an array of Python objects",
}


def observed_code(answer: Answer) -> str:
    """The code of contract kind `any` that an answer is by itself; "" for an array."""
    match answer:
        case Ended(code=code):
            return code
        case Raised(kinds=kinds):
            return _raised_code(kinds)
        case Items() | Other():
            return "wrong-type"
        case Huge():
            return "wrong-shape"
    return ""


def _raised_code(kinds: tuple[str, ...]) -> str:
    codes = {
        "MemoryError": "out-of-memory",
        "ImportError": "import-error",
        "NotImplementedError": "not-implemented",
    }
    return next((codes[kind] for kind in kinds if kind in codes), "raises")


def sentence(answer: Answer, place: Place) -> str:
    """What happened instead of an array, worded for a learner. An exception comes last, after its place."""
    match answer:
        case Ended(code=code, detail=detail):
            return _ended(code, detail)
        case Raised():
            return raised(answer, place)
        case Items(arrays=arrays):
            return f"Asked for one NumPy array; a tuple of {len(arrays)} came back."
        case Other(type_name=name):
            return f"Asked for a NumPy array of real numbers; {_a(name)} came back."
        case Huge(shape=shape, dtype=dtype):
            return f"An array of shape {shape} ({dtype}) came back: far larger than any right answer."
    raise TypeError(type(answer))


def raised(answer: Raised, place: Place) -> str:
    """An exception: the last line in the student's own file, then the exception itself."""
    if "NotImplementedError" in answer.kinds and not answer.message:
        return "Not implemented yet: the function raises NotImplementedError."
    where = place(answer.file, answer.line) if answer.file else "Calling the function"
    text = f"{answer.type_name}: {answer.message}" if answer.message else answer.type_name
    return f"{where}\n{text}"


def _ended(code: str, detail: str) -> str:
    words = {
        "timeout": f"The call {detail}.",
        "crash": f"The call {detail}, instead of returning a result.",
        "forbidden": f"The call {detail}.",
    }
    return words.get(code, detail)


def _a(name: str) -> str:
    return _KINDS.get(name, f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}")


def short(answer: Answer) -> str:
    """An answer as a learner would see it in Python: an array's numbers, an exception's last line."""
    match answer:
        case Raised(type_name=name, message=message):
            return f"{name}: {message}" if message else name
        case Items(arrays=arrays):
            return f"({', '.join(map(short, arrays))})"
        case Ended(code=code, detail=detail):
            return f"{code}: {detail}"
        case Other(type_name=name):
            return _a(name)
        case Huge(shape=shape, dtype=dtype):
            return f"an array of shape {shape} ({dtype})"
    import numpy as np

    return np.array2string(np.asarray(answer), precision=4, suppress_small=True, separator=", ", threshold=40)


class Keeping:
    """Responses that are kept, within bounds: of arrays beyond them the shape alone, and of arguments nothing.

    No right function answers so much to all that it is asked.
    """

    def __init__(self) -> None:
        self.bytes = 0

    def keep(self, response: Response) -> Response:
        """What is kept of one."""
        answer = response.answer
        arrays: Any = answer.arrays if isinstance(answer, Items) else [answer] if hasattr(answer, "nbytes") else []
        self.bytes += sum(array.nbytes for array in arrays)
        if arrays and self.bytes > MOST_KEPT_BYTES:
            answer = Huge(arrays[0].shape, arrays[0].dtype.name)
        return Response(answer, (), response.output, response.tried)
