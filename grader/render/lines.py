"""Lines cut and wrapped by the cells a terminal gives each character."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

NO_BREAK = "\u00a0"
TITLE_LIMIT = 200
LINE_LIMIT = 400
MESSAGE_LINES = 24


def cells(text: str) -> int:
    """The columns `text` takes: none for a combining mark, two for a wide character (Unicode annex 11)."""
    return len(text) if text.isascii() else sum(map(_cells, text))


@lru_cache(maxsize=4_096)
def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shortened(line: str, limit: int = LINE_LIMIT) -> str:
    """`line`, its middle left out where it has more than `limit` characters: both ends tell something."""
    if len(line) <= limit:
        return line
    head, tail = limit * 2 // 3, limit // 3
    return f"{line[:head]} [… {len(line) - head - tail} characters left out …] {line[-tail:]}"


def one_line(text: str) -> str:
    """`text` on one line of bounded length, for names and titles."""
    return shortened(" ".join(text.split()), TITLE_LIMIT)


def abridged(text: str) -> str:
    """`text`, its long lines shortened and, of very many, the middle left out: an exception comes last."""
    lines = text.strip("\n").split("\n")
    left_out = len(lines) - MESSAGE_LINES
    if left_out > 1:
        half = MESSAGE_LINES // 2
        lines[half:-half] = [f"[… {left_out} lines left out …]"]
    return "\n".join(shortened(line.rstrip()) for line in lines)


def wrapped(text: str, width: int, *, first: str = "", rest: str | None = None) -> list[str]:
    """`text` in lines of at most `width` cells, the first begun with `first`, the others with `rest`.

    A line that is indented stays indented where it goes on, and spaces inside a line are kept. At a no-break
    space it is not broken; it comes out as a space.
    """
    rest = " " * cells(first) if rest is None else rest
    room = max(2, width - max(cells(first), cells(rest)))
    folded = [piece for line in text.split("\n") for piece in _folded(line, room)]
    return [
        f"{rest if number else first}{piece}".rstrip().replace(NO_BREAK, " ") for number, piece in enumerate(folded)
    ]


def padded(name: str, width: int) -> str:
    """`name` in exactly so many cells, cut where it is longer."""
    if cells(name) > width:
        name = wrapped(name, width - 1)[0] + "…"
    return name + " " * (width - cells(name))


def _folded(line: str, width: int) -> Iterator[str]:
    line = line.rstrip()
    if cells(line) <= width:
        yield line
        return
    text = line.lstrip(" ")
    indent = " " * min(len(line) - len(text), width // 2 - 1)
    start = 0
    while (cut := _cut(text, start, width - len(indent))) < len(text):
        yield indent + text[start:cut].rstrip()
        start = cut
        while text[start] == " ":  # what is left does not end in one
            start += 1
    yield indent + text[start:]


def _cut(text: str, start: int, width: int) -> int:
    """Where to break: at the last space that fits and has words before it, else after what fits."""
    used, end = 0, start
    while end < len(text) and used + _cells(text[end]) <= width:
        used += _cells(text[end])
        end += 1
    space = text.rfind(" ", start, end + 1) if end < len(text) else -1
    return space if text[start : max(space, start)].strip() else max(end, start + 1)
