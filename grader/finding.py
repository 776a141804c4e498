"""The records of an experiment: what it found, in a sentence with the numbers, and the pictures of it.

Imports nothing of ours. An experiment is knowledge of a course, a function in the file that course.yml calls
`experiments`: it is given a `Lab`, and returns a `Finding`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    AnyArray: TypeAlias = NDArray[np.generic]

Scale = Literal["linear", "log", "even"]  # even: the points stand side by side, whatever their numbers


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a plot, a value for each point; nan where there is none. `theory` is what a formula says."""

    name: str
    values: tuple[float, ...]
    theory: bool = False


@dataclass(frozen=True, slots=True)
class Curves:
    """Lines over the points `at`, which have finite numbers in rising order. `x` and `y` say what is measured."""

    title: str
    x: str
    y: str
    at: tuple[float, ...]
    lines: tuple[Line, ...]
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of numbers, tinted from 0 to the largest. With `sums`, each row ends with its sum."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    numbers: tuple[tuple[float, ...], ...]
    sums: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """A bar for each name; one of the value `full` is as long as there is room for."""

    title: str
    names: tuple[str, ...]
    values: tuple[float, ...]
    full: float = 1.0


Picture: TypeAlias = Curves | Grid | Bars


@dataclass(frozen=True, slots=True)
class Finding:
    """What an experiment found.

    `remarks` say what is not as it should be and what to do, `notes` what the numbers cannot be taken for; `source`
    cites.
    """

    title: str
    conclusion: str
    pictures: tuple[Picture, ...]
    remarks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one call took: seconds of processor time, and the most bytes it held at once beside what was there before.

    `bytes` is 0 where it is not known. `why` says why no answer came, in words; "" where one did. `passed` are the
    seconds by the clock.
    """

    seconds: float
    bytes: float
    why: str = ""
    passed: float = 0.0


class Lab(Protocol):
    """What an experiment works with: the functions it is about, by their names, and dice."""

    rng: np.random.Generator
    label: str  # how a picture calls what the functions give: `yours`

    def ask(self, function: str, shape: Sequence[int], *args: Any, **named: Any) -> Any:
        """The array of real numbers that the function returns. Anything else, or another shape, ends the experiment."""

    def measure(self, function: str, *args: Any, **named: Any) -> Measured:
        """Ask once for what it takes, not for the answer. What runs out of time or memory is measured too."""

    def refuse(self, function: str, why: str) -> NoReturn:
        """End the experiment: why there is nothing to show of the function yet, in a sentence."""

    def whose(self, function: str) -> str:
        """How a sentence calls the function: `your attention`."""

    def grade(self, function: str) -> str:
        """What to type to have the function graded."""

    def say(self, words: str) -> None:
        """How far it is, for people who wait."""


def table(array: Any) -> tuple[tuple[float, ...], ...]:
    """The numbers of a matrix, for a record."""
    return tuple(tuple(float(value) for value in row) for row in array)


def numbers(values: Any) -> tuple[float, ...]:
    """The numbers of a vector, for a record."""
    return tuple(float(value) for value in values)
