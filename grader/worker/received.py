"""What a worker says, read strictly: what is not to the letter is a WireError, or some other exception of the reader's.

Nothing of it is believed but its form: who speaks on the channel may be the student's code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from grader.report import Answer, Ended, Huge, Items, Other, Raised, Response
from grader.worker import wire

MAX_OUTPUT = 66_000  # characters: what a worker keeps of the output, and how much more there was
MAX_WORDS = 2_000  # characters of a message or a file's name
MAX_NAME = 200  # characters of a type's
MAX_TEXTS = 20
MAX_KINDS = 1_000  # an exception's class may have many parents
MAX_TRIED = 160  # characters
MAX_DIMENSIONS = 64
MAX_LINE = 1 << 31  # Python's own

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Hello:
    """What a worker says before it loads anything: what confinement took hold, and its versions."""

    isolation: str
    python: str
    numpy: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """What loading gave: whether there is something to call, what failed on the way, what was printed.

    `ended` is set where loading was ended or ended the process; `names` are the other exercises it has a name of;
    `tried` is what it was seen to try and may not; `at`, of a notebook that ended so, is the statement that it was at.
    """

    callable: bool = False
    names: tuple[str, ...] = ()
    problems: tuple[tuple[str, Raised], ...] = ()
    output: str = ""
    ended: Ended | None = None
    tried: tuple[str, ...] = ()
    at: int = -1


def read_hello(header: dict[str, Any]) -> Hello:
    """The first words."""
    isolation = _texts(header, "isolation", most=MAX_TEXTS)
    return Hello("+".join(isolation), _text(header, "python", MAX_NAME), _text(header, "numpy", MAX_NAME))


def read_loaded(header: dict[str, Any], body: bytes) -> Loaded:
    """The answer to a load."""
    insist(_text(header, "answer", MAX_NAME) == "loaded" and not body)
    found = _get(header, "problems", list)
    insist(len(found) <= MAX_TEXTS)
    problems = tuple((_text(problem, "module", MAX_WORDS), _raised(problem)) for problem in found)
    names, tried = _texts(header, "names", most=wire.MAX_VALUES), _tried(header)
    return Loaded(_get(header, "callable", bool), names, problems, _text(header, "output", MAX_OUTPUT), tried=tried)


def read_response(header: dict[str, Any], body: bytes) -> Response:
    """The answer to a call."""
    kind = _text(header, "answer", MAX_NAME)
    sent = _get(header, "arrays", list) if kind in ("array", "items") else []
    arrays = wire.arrays([*sent, *_get(header, "left", list)], body)
    for array in arrays:
        insist(array.nbytes <= wire.MAX_ARRAY_BYTES)
    results, left = arrays[: len(sent)], arrays[len(sent) :]
    return Response(_answer(kind, header, results), left, _text(header, "output", MAX_OUTPUT), _tried(header))


def _answer(kind: str, header: dict[str, Any], results: tuple[wire.AnyArray, ...]) -> Answer:
    match kind:
        case "array":
            insist(len(results) == 1)
            return results[0]
        case "items":
            insist(len(results) <= wire.MAX_ITEMS)
            return Items(results)
        case "other":
            return Other(_text(header, "type", MAX_NAME))
        case "huge":
            return Huge(_shape(header), _text(header, "dtype", MAX_NAME))
        case "raised":
            return _raised(header)
    raise wire.WireError("an answer of an unknown kind")


def _raised(header: object) -> Raised:
    line = _get(header, "line", int)
    insist(abs(line) < MAX_LINE)
    kinds, file = _texts(header, "kinds", most=MAX_KINDS), _text(header, "file", MAX_WORDS)
    return Raised(_text(header, "type", MAX_NAME), kinds, _text(header, "message", MAX_WORDS), file, line)


def _shape(header: object) -> tuple[int, ...]:
    shape = _get(header, "shape", list)
    if len(shape) > MAX_DIMENSIONS or not all(type(size) is int and 0 <= size < 1 << 63 for size in shape):
        raise wire.WireError("a shape that is none")
    return tuple(shape)


def _text(header: object, name: str, characters: int) -> str:
    """A text, cut to more than a worker that keeps the rules sends at most."""
    return _get(header, name, str)[:characters]


def _texts(header: object, name: str, *, most: int) -> tuple[str, ...]:
    """A list of names."""
    texts = _get(header, name, list)
    if len(texts) > most or not all(type(text) is str for text in texts):
        raise wire.WireError("a list of texts that is none")
    return tuple(text[:MAX_NAME] for text in texts)


def _tried(header: object) -> tuple[str, ...]:
    """What was tried, each in one line that prints as it reads: who writes to the channel writes these words too."""
    if not (found := _texts(header, "tried", most=MAX_TEXTS)):
        return ()
    texts = (text[:MAX_TRIED] for text in found)
    return tuple("".join(each if each.isprintable() else ascii(each)[1:-1] for each in text) for text in texts)


def _get(header: object, name: str, kind: type[T]) -> T:
    """What an object of an answer has under `name`, of that very type. Raises WireError."""
    value = header.get(name) if isinstance(header, dict) else None
    if type(value) is not kind:
        raise wire.WireError(f"an answer without its {name}")
    return value


def insist(holds: bool) -> None:
    """Raise WireError unless it holds."""
    if not holds:
        raise wire.WireError("an answer of an unknown kind")
