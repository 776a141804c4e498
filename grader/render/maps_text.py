"""A map as text: the student's numbers, the right ones and the difference, beside each other where there is room.

All that a map says is in its numbers and words; colours, for terminals that have them, only add to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from grader.render.lines import cells, padded, wrapped
from grader.render.map_numbers import DIFFERENCE, Table, difference, figures, legend, limits, part_of

if TYPE_CHECKING:
    from grader.report import Map

Line: TypeAlias = list[tuple[str, str]]  # texts, each with the style that rich gives it

GAP = "   "  # between tables that stand beside each other
LONGEST_HEAD = 16
NOT_FINITE = "bold red"


@dataclass(frozen=True, slots=True)
class Part:
    """A table, or as many of its columns as fit the width: first a row of captions, one of column heads, the numbers.

    All rows are `width` cells wide.
    """

    rows: tuple[Line, ...]
    width: int


def compared(each: Map, width: int) -> Iterator[Line]:
    """`each` without its title, at most `width` cells wide, down to 20. Raises ValueError where its shapes differ."""
    heads = _heads(each, width)
    room = width - cells(heads[0])
    tables = _tables(each)
    parts = [part for table in tables for part in _parts(*table, room, 0)]
    if len(parts) > len(tables) or _together(parts) > room:  # then columns stand below columns
        widest = max(_widest(texts) for _, texts, _ in tables)
        parts = [
            part for same in zip(*(_parts(*table, room, widest) for table in tables), strict=True) for part in same
        ]
    for number, beside in enumerate(_flowed(parts, room)):
        yield from [[]] if number else []
        for head, *rows in zip(heads, *(part.rows for part in beside), strict=True):
            yield [(head, "dim"), *(piece for at, row in enumerate(rows) for piece in _apart(row, at))]
    yield from ([(line, "dim")] for line in wrapped(legend(each.yours, each.right), width))


def _apart(row: Line, at: int) -> Line:
    return [(GAP, ""), *row] if at else row


# ── tables ─────────────────────────────────────────────────────────────────────────────────────────

Styles: TypeAlias = Callable[[float], str]
Named: TypeAlias = tuple[str, list[list[str]], list[list[str]]]  # caption, numbers as they are written, their styles


def _tables(each: Map) -> list[Named]:
    low, high = limits(each.right)
    tables = [
        _named("yours", each.yours, lambda value: _along(part_of(value, low, high))),
        _named("right", each.right, lambda value: _along(part_of(value, low, high))),
    ]
    if legend(each.yours, each.right) == DIFFERENCE:
        apart = difference(each.yours, each.right)
        tables.append(_named("difference", apart, lambda value: _signed(value, max(-low, high))))
    return tables


def _named(caption: str, table: Table, style: Styles) -> Named:
    styles = [[style(value) if math.isfinite(value) else NOT_FINITE for value in row] for row in table]
    return caption, figures(table), styles


def _heads(each: Map, width: int) -> list[str]:
    """What stands before each row of a part, all equally wide; of a long noun the end is left out, never the number."""
    numbers = [str(number) for number in range(1, len(each.right) + 1)]
    room = min(width // 3, LONGEST_HEAD)
    noun = min(cells(each.rows), max(room - len(numbers[-1] if numbers else "") - 1, 2))
    heads = [f"{padded(each.rows, noun).rstrip()} {number}" for number in numbers]
    columns = padded(each.columns, min(cells(each.columns), room))
    first = max(map(cells, [columns, *heads]))
    return [head + " " * (first - cells(head)) for head in ("", columns, *heads)]


def _widest(texts: Sequence[Sequence[str]]) -> int:
    """How wide a column has to be."""
    columns = len(texts[0]) if texts else 0
    return 1 + max([len(str(columns)), *(len(text) for row in texts for text in row)])


def _parts(
    caption: str, texts: Sequence[Sequence[str]], styles: Sequence[Sequence[str]], room: int, least: int
) -> Iterator[Part]:
    """The table in parts of at most `room` cells, its columns at least `least` wide."""
    column = max(_widest(texts), least)
    columns = len(texts[0]) if texts else 0
    step = max((room // column), 1)
    for start in range(0, max(columns, 1), step):
        numbers = [str(number).rjust(column) for number in range(start + 1, min(start + step, columns) + 1)]
        width = max(column * len(numbers), 1 + len(caption))
        rows: list[Line] = [[(f" {caption}", "bold")], [(number, "dim") for number in numbers]]
        for row, tints in zip(texts, styles, strict=True):
            pairs = zip(row[start : start + step], tints[start : start + step], strict=True)
            rows.append([piece for text, tint in pairs for piece in ((" " * (column - len(text)), ""), (text, tint))])
        yield Part(tuple(_filled(row, width) for row in rows), width)


def _filled(row: Line, width: int) -> Line:
    return [*row, (" " * (width - sum(len(text) for text, _ in row)), "")]


def _together(parts: Sequence[Part]) -> int:
    return sum(part.width for part in parts) + len(GAP) * (len(parts) - 1)


def _flowed(parts: Sequence[Part], room: int) -> Iterator[list[Part]]:
    """As many parts beside each other as fit."""
    beside: list[Part] = []
    for part in parts:
        if beside and _together([*beside, part]) > room:
            yield beside
            beside = []
        beside.append(part)
    yield beside


# ── colours ────────────────────────────────────────────────────────────────────────────────────────


def _along(share: float) -> str:
    """From dim to full, by how much it is."""
    if share < 0.05:
        return "dim"
    return "reverse cyan" if share >= 0.66 else "cyan" if share >= 0.2 else ""


def _signed(value: float, far: float) -> str:
    """Too much is yellow, too little magenta, and what is written 0.00 dim."""
    if abs(value) < 0.005:
        return "dim"
    colour = "yellow" if value > 0 else "magenta"
    return f"reverse {colour}" if part_of(abs(value), 0.0, far) >= 0.5 else colour
