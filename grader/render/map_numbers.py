"""The numbers of a map as they are written and shaded, alike on a page and in a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

Table: TypeAlias = Sequence[Sequence[float]]

DIFFERENCE = "difference = yours − right"
SAME = "Number for number they are the same: what is wrong is the type of your array."
LONGEST_PLAIN = 1e5  # from here on, a number is written with an exponent, so that its cell stays narrow


def limits(right: Table) -> tuple[float, float]:
    """The ends of the ramp: 0 and 1, or further where the right numbers go further.

    The student's numbers have no say, so that a wild one does not wash out all others.
    """
    finite = [value for row in right for value in row if math.isfinite(value)]
    return min([0.0, *finite]), max([1.0, *finite])


def part_of(value: float, low: float, high: float) -> float:
    """How far `value` is on the way from `low` to `high`, from 0 to 1. Halves, since high - low may overflow."""
    return (min(max(value, low), high) / 2 - low / 2) / (high / 2 - low / 2)


def difference(yours: Table, right: Table) -> Table:
    """Yours minus right; 0 also where both are the same infinity. Raises ValueError where the shapes differ."""
    return [
        [0.0 if mine == its else mine - its for mine, its in zip(mine_row, its_row, strict=True)]
        for mine_row, its_row in zip(yours, right, strict=True)
    ]


def legend(yours: Table, right: Table) -> str:
    """What the table of differences is; where all are 0, which such a table would not explain, what is wrong then."""
    apart = [value for row in difference(yours, right) for value in row]
    return SAME if apart and not any(apart) else DIFFERENCE


def figures(table: Table) -> list[list[str]]:
    """The numbers in two decimals; without any where all are 0, 1 or -1, as in masks and the differences of masks."""
    whole = all(value in (-1, 0, 1) for row in table for value in row if math.isfinite(value))
    return [[_figure(value, whole=whole) for value in row] for row in table]


def _figure(value: float, *, whole: bool) -> str:
    if not math.isfinite(value):
        return str(float(value))
    if abs(value) >= LONGEST_PLAIN:
        return f"{value:.2e}"
    # Adding 0 makes -0 a 0.
    return f"{round(value) + 0:d}" if whole else f"{round(value, 2) + 0.0:.2f}"
