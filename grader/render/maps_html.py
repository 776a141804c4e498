"""A map as HTML: the student's table, the right one and the difference, side by side, each cell tinted by its number.

Colours are mixed in OKLab, so that equal steps of a number look like equal steps, and differ in lightness as well
as in hue, so that they can be told apart whatever colours one sees. The numbers themselves stand in the cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from html import escape
from typing import TYPE_CHECKING, TypeAlias

from grader.render.map_numbers import DIFFERENCE, Table, difference, figures, legend, limits, part_of

if TYPE_CHECKING:
    from grader.report import Map

Colour: TypeAlias = tuple[float, float, float]  # sRGB or OKLab
Tint: TypeAlias = Callable[[float], Colour]

# OKLab: lightness from 0 to 1, green to red, blue to yellow.
PALE, BLUE = (0.98, -0.005, -0.01), (0.34, -0.02, -0.13)
NEUTRAL, PURPLE, ORANGE = (0.98, 0.0, 0.0), (0.38, 0.05, -0.13), (0.52, 0.09, 0.11)
BLACK, WHITE, GREY = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.9, 0.9, 0.9)

# Boxes beside each other that wrap: unlike flex-wrap, hosts that clean styles leave these alone. The space between
# them is padding, which counts as width, so that a box of full width does not widen the page.
BOX = (
    "display:inline-block;box-sizing:border-box;max-width:100%;overflow-x:auto;vertical-align:top;"
    "margin:0;padding:0 1em 0.5em 0"
)
TABLE = "border-collapse:separate;border-spacing:1px;margin:0;width:auto;font-size:0.85em;line-height:1.3"
CAPTION = "caption-side:top;text-align:left;font-weight:bold;padding:0.2em 0"
# As narrow as its words, so that a mask's three tables stand beside each other.
HEAD = "width:1em;padding:0.2em 0.3em;text-align:right;font-weight:normal;vertical-align:bottom;border-width:0"
ROW_HEAD = "padding:0.2em 0.4em 0.2em 0;text-align:left;font-weight:normal;white-space:nowrap;border-width:0"
ROW = "background-color:transparent"  # hosts stripe rows
CELL = "padding:0.2em 0.4em;text-align:right;white-space:nowrap"
EDGE = "border:2px solid rgba(128,128,128,0.3)"
NOT_FINITE = "border:2px dashed #595959;font-weight:bold"


def compared(each: Map, level: int) -> str:
    """`each` below its title, a heading of `level`. Raises ValueError where its two tables differ in shape."""
    low, high = limits(each.right)
    told = legend(each.yours, each.right)
    tables = [
        _table("yours", each, each.yours, lambda value: _along(value, low, high)),
        _table("right", each, each.right, lambda value: _along(value, low, high)),
    ]
    if told == DIFFERENCE:
        apart = difference(each.yours, each.right)
        tables.append(_table("difference", each, apart, lambda value: _apart(value, max(-low, high))))
    title = f'<h{level} style="margin:1em 0 0.25em 0">{escape(each.title, quote=True)}</h{level}>'
    return "\n".join([title, "<div>", *tables, "</div>", f'<p style="margin:0 0 1em 0">{escape(told)}</p>'])


# ── tables ─────────────────────────────────────────────────────────────────────────────────────────


def _table(caption: str, each: Map, table: Table, tint: Tint) -> str:
    heads = (_head("col", HEAD, each.columns, number) for number in range(1, len(table[0]) + 1 if table else 1))
    rows = (
        _head("row", ROW_HEAD, each.rows, number) + "".join(map(partial(_cell, tint), row, texts))
        for number, (row, texts) in enumerate(zip(table, figures(table), strict=True), 1)
    )
    lines = (
        f'<div style="{BOX}"><table style="{TABLE}"><caption style="{CAPTION}">{caption}</caption>',
        f'<thead><tr style="{ROW}"><td style="border-width:0"></td>{"".join(heads)}</tr></thead><tbody>',
        *(f'<tr style="{ROW}">{row}</tr>' for row in rows),
        "</tbody></table></div>",
    )
    return "\n".join(lines)


def _head(scope: str, style: str, noun: str, number: int) -> str:
    return f'<th scope="{scope}" style="{style}">{escape(f"{noun} {number}", quote=True)}</th>'


def _cell(tint: Tint, value: float, text: str) -> str:
    finite = math.isfinite(value)
    behind = tint(value) if finite else GREY
    style = f"{CELL};{EDGE if finite else NOT_FINITE};background-color:{_hex(behind)};color:{_hex(_ink(behind))}"
    return f'<td style="{style}">{escape(text, quote=True)}</td>'


# ── colours ────────────────────────────────────────────────────────────────────────────────────────


def _along(value: float, low: float, high: float) -> Colour:
    """Pale at `low` and below, blue at `high` and above."""
    return _mixed(PALE, BLUE, part_of(value, low, high))


def _apart(value: float, far: float) -> Colour:
    """Purple below 0, orange above."""
    return _mixed(NEUTRAL, PURPLE if value < 0 else ORANGE, part_of(abs(value), 0.0, far))


def _mixed(start: Colour, end: Colour, part: float) -> Colour:
    """SRGB from 0 to 1, in steps of 1/255, of the OKLab colour that is `part` of the way from `start` to `end`."""
    lightness, red, yellow = (low + part * (high - low) for low, high in zip(start, end, strict=True))
    # B. Ottosson, "A perceptual color space for image processing" (2020): OKLab to cones, cones to linear sRGB.
    long = (lightness + 0.3963377774 * red + 0.2158037573 * yellow) ** 3
    middle = (lightness - 0.1055613458 * red - 0.0638541728 * yellow) ** 3
    short = (lightness - 0.0894841775 * red - 1.2914855480 * yellow) ** 3
    return (
        _encoded(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short),
        _encoded(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short),
        _encoded(-0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short),
    )


def _encoded(linear: float) -> float:
    """The transfer function of sRGB (IEC 61966-2-1), rounded to what a screen is told."""
    linear = min(max(linear, 0.0), 1.0)
    return round((12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055) * 255) / 255


def _ink(behind: Colour) -> Colour:
    """Black or white, whichever stands out more; the better of the two has a contrast of at least 4.58."""
    return max(BLACK, WHITE, key=lambda ink: _contrast(ink, behind))


def _contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio of WCAG 2.2, from 1 to 21."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Colour) -> float:
    """The relative luminance of WCAG 2.2, from 0 to 1."""
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _hex(colour: Colour) -> str:
    return "#" + "".join(f"{round(part * 255):02x}" for part in colour)
