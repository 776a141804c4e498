"""A finding as a picture for a page, PNG or SVG, drawn by matplotlib, which is imported here alone, and late."""

from __future__ import annotations

import math
from io import BytesIO
from textwrap import fill
from typing import Any

from grader.finding import Bars, Curves, Finding, Grid
from grader.render.characters import cleaned

WIDTH, HEIGHT = 5.2, 5.0  # inches of a picture
DOTS_PER_INCH = 150
LETTERS_PER_INCH = 15  # of the text below
TITLE_LETTERS_PER_INCH = 10
# Told apart with any eyes, and by mark and dash without colour: Okabe and Ito, "Color Universal Design" (2008).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
MARKS = "oxsD"
DASHES = ("-", "--", ":", "-.")


def render(finding: Finding, style: str) -> bytes:
    """`finding` as the bytes of a file of that style, "png" or "svg". The same finding gives the same bytes."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    finding = cleaned(finding)
    with mpl.rc_context({"svg.hashsalt": "grade", "font.family": "DejaVu Sans", "font.size": 9}):
        wide = WIDTH * max(len(finding.pictures), 1.4)
        drawn = Figure(figsize=(wide, HEIGHT), layout="constrained")
        FigureCanvasAgg(drawn)
        drawn.suptitle(finding.title, fontweight="bold", fontsize=13)
        notes = (*finding.remarks, *finding.notes)
        below = [finding.conclusion, *notes, *([f"Source: {finding.source}"] if finding.source else [])]
        letters = round(wide * LETTERS_PER_INCH)
        drawn.supxlabel("\n".join(fill(text, letters) for text in below), fontsize=8.5, x=0.02, ha="left")
        for number, picture in enumerate(finding.pictures, start=1):
            axes = drawn.add_subplot(1, len(finding.pictures), number)
            title_letters = round(wide / len(finding.pictures) * TITLE_LETTERS_PER_INCH)
            axes.set_title(fill(picture.title, title_letters), fontsize=10)
            _draw(axes, picture)
        file = BytesIO()
        dated: dict[str, Any] = {"Date": None} if style == "svg" else {"Software": None}
        drawn.savefig(file, format=style, dpi=DOTS_PER_INCH, metadata=dated)
    return file.getvalue()


def _draw(axes: Any, picture: Curves | Grid | Bars) -> None:
    match picture:
        case Curves():
            _curves(axes, picture)
        case Grid():
            _grid(axes, picture)
        case Bars():
            _bars(axes, picture)


def _curves(axes: Any, curves: Curves) -> None:
    from matplotlib.ticker import NullLocator

    even = curves.x_scale == "even"
    at = list(range(len(curves.at))) if even else list(curves.at)
    for number, line in reversed(list(enumerate(curves.lines))):  # the first on top
        look = {"color": COLOURS[number % 4], "marker": MARKS[number % 4], "linestyle": DASHES[number % 4]}
        shape = {"fillstyle": "none", "markersize": 10} if line.theory else {"markersize": 6}  # seen around the others
        axes.plot(at, line.values, label=line.name, **look, **shape)
    if not even:
        axes.set_xscale(curves.x_scale)
    if curves.y_scale == "log" and any(0 < value < math.inf for line in curves.lines for value in line.values):
        axes.set_yscale("log")
    else:
        bottom, top = axes.get_ylim()
        axes.set_ylim(min(0.0, bottom), top + 0.08 * (top - min(0.0, bottom)))
    axes.set_xticks(at, [f"{value:,.0f}" if value == round(value) else f"{value:g}" for value in curves.at])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.tick_params(axis="x", labelrotation=45 if len(at) > 6 else 0)
    axes.set_xlabel(curves.x)
    axes.set_ylabel(curves.y)
    axes.grid(visible=True, alpha=0.3)
    handles, names = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], names[::-1])


def _grid(axes: Any, grid: Grid) -> None:
    rows, columns = list(grid.rows), list(grid.columns)
    largest = max([1.0, *(value for row in grid.numbers for value in row if math.isfinite(value))])
    axes.imshow([list(row) for row in grid.numbers], cmap="Blues", vmin=0.0, vmax=largest, aspect="auto")
    for row, values in enumerate(grid.numbers):
        for column, value in enumerate(values):
            ink = "white" if value > 0.55 * largest else "black"
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=ink, fontsize=8)
        if grid.sums:
            axes.text(len(columns) - 0.4, row, f" {sum(values):.3f}", ha="left", va="center", fontsize=8)
    if grid.sums:
        axes.text(len(columns) - 0.4, -0.75, " sum", ha="left", va="center", fontsize=8)
    axes.set_xticks(range(len(columns)), columns, rotation=45, ha="right")
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)


def _bars(axes: Any, bars: Bars) -> None:
    there = [value if math.isfinite(value) else 0.0 for value in bars.values]
    places = range(len(there))
    axes.barh(places, there, color=COLOURS[0])
    for place, value, length in zip(places, bars.values, there, strict=True):
        axes.text(max(length, 0.0), place, f" {value:.3f}", va="center", fontsize=8)
    axes.set_yticks(places, bars.names)
    axes.invert_yaxis()
    axes.set_xlim(min(0.0, *there), bars.full * 1.15)
