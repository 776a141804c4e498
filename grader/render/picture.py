"""A finding drawn in text: plots, grids and bars, each with its numbers. Colour only adds to what is there without.

Everything is at most `width` columns wide, down to 50.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from grader.finding import Bars, Curves, Finding, Grid, Line
from grader.render.characters import cleaned
from grader.render.lines import cells, wrapped

Drawn: TypeAlias = list[tuple[str, str]]  # one line: texts, each with its style

NARROWEST, WIDEST = 50, 100
HEIGHT = 9  # rows of a plot
LONGEST_PLOT, LONGEST_BAR, SHORTEST_BAR = 64, 40, 8
LONGEST_NAME = 24
MARKS = "●×+◇"
TINTS = ("cyan", "yellow", "magenta", "green")
CODES = {"bold": "1", "dim": "2", "cyan": "36", "yellow": "33", "magenta": "35", "green": "32", "full": "1;30;46"}


def render(finding: Finding, *, width: int, colour: bool = False) -> str:
    """`finding` drawn `width` columns wide (at most 100 are used), with ANSI codes where `colour` is wanted."""
    lines = list(_page(cleaned(finding), min(max(width, NARROWEST), WIDEST)))
    return "".join(_ansi(line, colour=colour) + "\n" for line in lines)


def _ansi(line: Drawn, *, colour: bool) -> str:
    texts = list(line)
    while texts and not (last := texts[-1][0].rstrip()):
        texts.pop()
    if texts:
        texts[-1] = last, texts[-1][1]
    return "".join(f"\x1b[{CODES[style]}m{text}\x1b[0m" if colour and style else text for text, style in texts)


def _page(finding: Finding, width: int) -> Iterator[Drawn]:
    yield from _block(finding.title, width, "bold")
    for picture in finding.pictures:
        yield []
        yield from _block(picture.title, width, "bold")
        yield []
        match picture:
            case Curves():
                yield from _curves(picture, width)
            case Grid():
                yield from _grid(picture, width)
            case Bars():
                yield from _bars(picture, width)
    yield []
    yield from _block(finding.conclusion, width, "" if finding.remarks or finding.notes else "green")
    for remark in (*finding.remarks, *finding.notes):
        yield []
        yield from _block(f"Note: {remark}", width, "yellow")
    if finding.source:
        yield []
        yield from _block(f"Source: {finding.source}", width, "dim")


def _block(text: str, width: int, style: str = "") -> Iterator[Drawn]:
    yield from ([(line, style)] for line in wrapped(text, width))


def figure(value: float) -> str:
    """A number in four figures or so: 65,536, 253.1, 0.829, 1.2e-05, nan."""
    size = abs(value)
    if not math.isfinite(value):
        return str(float(value))
    if size >= 1e7 or 0 < size < 5e-4:
        return f"{value:.1e}"
    if value == round(value):
        return f"{value:,.0f}"
    decimals = 0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 10 else 3
    return f"{value:,.{decimals}f}"


def _padded(text: str, width: int, *, right: bool = False) -> str:
    space = " " * (width - cells(text))
    return space + text if right else text + space


def _cut(name: str, width: int) -> str:
    return name if cells(name) <= width else wrapped(name, width - 1)[0] + "…"


# ── plots ──────────────────────────────────────────────────────────────────────────────────────────


def _curves(curves: Curves, width: int) -> Iterator[Drawn]:
    """The plot, and below it its numbers as a table, whose head says which mark is which line."""
    yield from _plot(curves, width)
    yield []
    yield from _table(curves, width)


def _plot(curves: Curves, width: int) -> Iterator[Drawn]:
    low, high = _ends([value for line in curves.lines for value in line.values], curves.y_scale)
    labels = {0: figure(high), HEIGHT - 1: figure(low)}
    margin = max(map(cells, labels.values()))
    room = min(width - margin - 2, LONGEST_PLOT)
    columns = [round(part * (room - 3)) + 1 for part in _parts(curves.at, curves.x_scale)]
    canvas = [[(" ", "")] * room for _ in range(HEIGHT)]
    for number in reversed(range(len(curves.lines))):  # the first on top
        _trace(canvas, columns, _heights(curves.lines[number], low, high, curves.y_scale), number)
    for row, line in enumerate(canvas):
        yield [(_padded(labels.get(row, ""), margin, right=True) + " │", "dim"), *line]
    yield [(" " * margin + " └" + "─" * room, "dim")]
    yield [(" " * (margin + 2) + _marked(curves.at, columns, room), "dim")]
    yield [(" " * (margin + 2) + _cut(_axes(curves), room), "dim")]
    for words in _hidden(curves, columns, low, high):
        yield from ([(" " * (margin + 2) + line, "dim")] for line in wrapped(words, room))


def _axes(curves: Curves) -> str:
    """What is drawn against what, and on which scale."""
    logs = [name for name, scale in ((curves.y, curves.y_scale), (curves.x, curves.x_scale)) if scale == "log"]
    on = {0: "", 1: f" ({''.join(logs)} on a log scale)", 2: " (log scales)"}[len(logs)]
    return f"{curves.y} by {curves.x}{on}"


def _ends(values: Sequence[float], scale: str) -> tuple[float, float]:
    """The ends of the axis: from 0 on where it is linear."""
    there = [value for value in values if math.isfinite(value) and (scale != "log" or value > 0)] or [1.0]
    low, high = (min(there) if scale == "log" else min([0.0, *there])), max(there)
    return (low, high) if high > low else (low, low + 1.0)


def _parts(at: Sequence[float], scale: str) -> list[float]:
    """How far along the axis each point lies, from 0 to 1."""
    if len(at) == 1:
        return [0.0]
    if scale == "even":
        return [number / (len(at) - 1) for number in range(len(at))]
    placed = [math.log(value) for value in at] if scale == "log" else list(at)
    return [(value - placed[0]) / (placed[-1] - placed[0]) for value in placed]


def _heights(line: Line, low: float, high: float, scale: str) -> list[float | None]:
    """How high each point lies, from 0 to 1; None for what is no number, or lies at no height."""
    if scale == "log":
        low, high = math.log(low), math.log(high)
    found: list[float | None] = []
    for value in line.values:
        there = math.isfinite(value) and (scale != "log" or value > 0)
        found.append(((math.log(value) if scale == "log" else value) - low) / (high - low) if there else None)
    return found


def _trace(canvas: list[Drawn], columns: Sequence[int], heights: Sequence[float | None], number: int) -> None:
    """Draw one line: a mark for each point, dots from one to the next."""
    style = TINTS[number % len(TINTS)]
    points = list(zip(columns, heights, strict=True))
    for (start, one), (end, other) in pairwise(points):
        if one is not None and other is not None:
            for column in range(start + 1, end):
                height = one + (other - one) * (column - start) / (end - start)
                canvas[_row(height)][column] = "·", style
    for column, there in points:
        if there is not None:
            canvas[_row(there)][column] = MARKS[number % len(MARKS)], style


def _hidden(curves: Curves, columns: Sequence[int], low: float, high: float) -> Iterator[str]:
    """Which marks lie under those of other lines, and where: they do not show in the plot."""
    places = [
        [None if height is None else (_row(height), column) for height, column in zip(heights, columns, strict=True)]
        for heights in (_heights(line, low, high, curves.y_scale) for line in curves.lines)
    ]
    for number, own in enumerate(places):
        above: dict[int, list[str]] = {}
        there = [(point, place) for point, place in enumerate(own) if place is not None]
        for point, place in there:
            top = next((other for other in range(number) if places[other][point] == place), None)
            if top is not None:
                above.setdefault(top, []).append(figure(curves.at[point]))
        for top, points in above.items():
            where = "everywhere" if len(points) == len(there) else f"at {', '.join(points)}"
            yield f"{MARKS[number % len(MARKS)]} lies under {MARKS[top % len(MARKS)]} {where}"


def _row(height: float) -> int:
    return round((1 - min(max(height, 0.0), 1.0)) * (HEIGHT - 1))


def _marked(at: Sequence[float], columns: Sequence[int], room: int) -> str:
    """The points' numbers below the axis, those left out that would touch the one before. The last is there."""
    texts = [figure(value) for value in at]
    starts = [
        min(max(column - len(text) // 2, 0), room - len(text)) for text, column in zip(texts, columns, strict=True)
    ]
    line = " " * starts[-1] + texts[-1]
    free = 0
    for text, start in list(zip(texts, starts, strict=True))[:-1]:
        if start >= free and start + len(text) < starts[-1]:
            line = line[:start] + text + line[start + len(text) :]
            free = start + len(text) + 1
    return line


def _table(curves: Curves, width: int) -> Iterator[Drawn]:
    """A row for each point, a column for each line; where the heads are too wide, they stand above, one a line."""
    heads = [f"{MARKS[number % len(MARKS)]} {line.name}" for number, line in enumerate(curves.lines)]
    texts = [[figure(value) for value in line.values] for line in curves.lines]
    points = [figure(value) for value in curves.at]
    first = max(map(cells, [*points, curves.x])) if cells(curves.x) <= 8 else max(map(cells, points))
    widths = [max(cells(head), *map(cells, column)) for head, column in zip(heads, texts, strict=True)]
    if first + sum(widths) + 3 * len(widths) > width:
        for number, head in enumerate(heads):
            yield [(_cut(head, width), TINTS[number % len(TINTS)])]
        heads = [head[0] for head in heads]
        widths = [max(map(cells, column)) for column in texts]
    line: Drawn = [(_padded(curves.x if cells(curves.x) <= first else "", first, right=True), "dim")]
    for number, (text, room) in enumerate(zip(heads, widths, strict=True)):
        line.append(("   " + _padded(text, room, right=True), TINTS[number % len(TINTS)]))
    yield line
    for row, point in enumerate(points):
        row_texts = ("   " + _padded(column[row], room, right=True) for column, room in zip(texts, widths, strict=True))
        yield [(_padded(point, first, right=True), "dim"), *((text, "") for text in row_texts)]


# ── grids and bars ─────────────────────────────────────────────────────────────────────────────────


def _grid(grid: Grid, width: int) -> Iterator[Drawn]:
    """The numbers below the columns' names, or below the numbers of the rows where the names are too wide."""
    numbered = [str(number) for number in range(1, len(grid.columns) + 1)]
    rows = [f"{number} {name}" for number, name in zip(numbered, grid.rows, strict=False)]
    short = (rows if grid.rows == grid.columns else list(grid.rows)), numbered
    tries = (((list(grid.rows), list(grid.columns)), 3, 2), (short, 2, 2), (short, 2, 1))
    for (rows, columns), decimals, gap in tries:  # the last, should none fit
        rooms = [gap + room for room in _rooms(grid, columns, decimals)]
        if max(map(cells, rows)) + sum(rooms) <= width:
            break
    yield from _cells_of(grid, rows, columns, rooms, decimals)


def _cells_of(
    grid: Grid, rows: Sequence[str], columns: Sequence[str], rooms: Sequence[int], decimals: int
) -> Iterator[Drawn]:
    first = max(map(cells, rows))
    heads = zip([*columns, *(["sum"] if grid.sums else [])], rooms, strict=True)
    yield [(" " * first + "".join(_padded(name, room, right=True) for name, room in heads), "dim")]
    largest = max([1e-300, *(value for row in grid.numbers for value in row if math.isfinite(value))])
    for name, row in zip(rows, grid.numbers, strict=True):
        line: Drawn = [(_padded(name, first), "")]
        for value, room in zip(row, rooms, strict=False):
            text = _rounded(value, decimals)
            line += [(" " * (room - cells(text)), ""), (text, _tint(value / largest))]
        if grid.sums:
            line.append((_padded(_rounded(sum(row), decimals), rooms[-1], right=True), "dim"))
        yield line


def _rooms(grid: Grid, columns: Sequence[str], decimals: int) -> list[int]:
    """How wide each column is, that of the sums last."""
    numbers = [[_rounded(value, decimals) for value in column] for column in zip(*grid.numbers, strict=True)]
    rooms = [max(cells(name), *map(cells, column)) for name, column in zip(columns, numbers, strict=True)]
    return [*rooms, max(3, *(cells(_rounded(sum(row), decimals)) for row in grid.numbers))] if grid.sums else rooms


def _rounded(value: float, decimals: int) -> str:
    if not math.isfinite(value):
        return str(float(value))
    return f"{round(value, decimals) + 0.0:.{decimals}f}" if abs(value) < 1000 else f"{value:.0e}"  # no -0.000


def _tint(share: float) -> str:
    """From dim to full, by the share of the largest number."""
    if not share >= 0.05:  # also what is no number
        return "dim"
    return "full" if share >= 0.66 else "cyan" if share >= 0.2 else ""


def _bars(bars: Bars, width: int) -> Iterator[Drawn]:
    names = [_cut(name, LONGEST_NAME) for name in bars.names]
    texts = [_rounded(value, 3) for value in bars.values]
    first, second = max(map(cells, names)), max(map(cells, texts))
    room = max(min(width - first - second - 4, LONGEST_BAR), SHORTEST_BAR)
    for name, text, value in zip(names, texts, bars.values, strict=True):
        share = min(max(value / bars.full, 0.0), 1.0) if math.isfinite(value) else 0.0
        full = round(share * room)
        yield [
            (_padded(name, first, right=True) + "  ", ""),
            (_padded(text, second, right=True) + "  ", ""),
            ("━" * full, "cyan"),
            ("─" * (room - full), "dim"),
        ]
