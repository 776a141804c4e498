"""Two gradings of one class, set side by side: who moves, by how much, and why.

A student is known by their name. Where one name has several records in a file, the last one counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from grader.report import total

if TYPE_CHECKING:
    from grader.records import Record

Named: TypeAlias = tuple[str, str]  # an exercise and the code of a mistake in it

# What of a receipt may change marks, and what to call it.
SUBMISSION = "submission"
MADE_WITH = {
    "course_version": "course",
    "grader": "grader",
    "seed": "seed",
    "python": "Python",
    "numpy": "NumPy",
}


class Standing(NamedTuple):
    """What is kept of a record: the score in points, None where the grader failed, and what may explain a change."""

    score: float | None
    mistakes: tuple[Named, ...]
    sha256: str  # of the submission
    made_with: tuple[str, ...]  # in the order of MADE_WITH


@dataclass(frozen=True, slots=True)
class Movement:
    """One student before and after; None for a side on which they have no record."""

    student: str
    before: Standing | None
    after: Standing | None

    @property
    def points(self) -> float | None:
        """How far the score moved, in points; None where one of the two is not known."""
        if not self.before or not self.after or self.before.score is None or self.after.score is None:
            return None
        return total([self.after.score, -self.before.score])

    @property
    def gone(self) -> tuple[Named, ...]:
        """The mistakes that were named before and are not now."""
        return tuple(_without(self.before, self.after))

    @property
    def new(self) -> tuple[Named, ...]:
        """The mistakes that are named now and were not before."""
        return tuple(_without(self.after, self.before))

    @property
    def changed(self) -> tuple[str, ...]:
        """What the two gradings were made with that is not the same: `submission`, `course`, `grader`, `seed`, …"""
        if not self.before or not self.after:
            return ()
        old, new = ((side.sha256, *side.made_with) for side in (self.before, self.after))
        names = (SUBMISSION, *MADE_WITH.values())
        return tuple(name for name, then, now in zip(names, old, new, strict=True) if then != now)


@dataclass(frozen=True, slots=True)
class Movements:
    """All whose score or mistakes changed, who came and who left; of the others, how many.

    First come those whose score moved, the furthest first, then those whose score is as it was or not known, then
    who came, then who left. `everywhere` is what changed for every student of both gradings, where there is one.
    """

    moved: tuple[Movement, ...]
    unchanged: int
    everywhere: tuple[str, ...]


def movements(old: Iterable[Record], new: Iterable[Record]) -> Movements:
    """Set two files of records side by side; each is read once, and of a record its `Standing` alone is kept."""
    before, after = _standings(old), _standings(new)
    both = [Movement(student, before[student], now) for student, now in after.items() if student in before]
    moved = [each for each in both if _moves(each)]
    came = [Movement(student, None, now) for student, now in after.items() if student not in before]
    left = [Movement(student, then, None) for student, then in before.items() if student not in after]
    return Movements(
        moved=tuple(sorted([*moved, *came, *left], key=_order)),
        unchanged=len(both) - len(moved),
        everywhere=_everywhere(both),
    )


def _standings(records: Iterable[Record]) -> dict[str, Standing]:
    """By student. What many have in common, most of a class its mistakes, is kept once."""
    kept: dict[Any, Any] = {}
    return {
        str(record["student"]): Standing(
            score=record["score"] if record["graded"] else None,
            mistakes=kept.setdefault(mistakes, mistakes),
            sha256=record["receipt"]["sha256"],
            made_with=kept.setdefault(made_with, made_with),
        )
        for record in records
        for mistakes in [_named(record)]
        for made_with in [tuple(str(record["receipt"].get(key, "")) for key in MADE_WITH)]
    }


def _named(record: Record) -> tuple[Named, ...]:
    return tuple((each["name"], mistake["code"]) for each in record["exercises"] for mistake in each["mistakes"])


def _without(these: Standing | None, those: Standing | None) -> Iterator[Named]:
    """The mistakes of the one that the other has not; none where either is missing or could not be graded."""
    if these and those and these.score is not None and those.score is not None:
        yield from (each for each in these.mistakes if each not in those.mistakes)


def _moves(each: Movement) -> bool:
    known = [side and side.score is not None for side in (each.before, each.after)]
    return known[0] != known[1] or bool(each.points or each.gone or each.new)


def _order(each: Movement) -> tuple[int, float, str]:
    place = 2 if each.before is None else 3 if each.after is None else 0 if each.points else 1
    return place, -abs(each.points or 0.0), each.student


def _everywhere(both: Iterable[Movement]) -> tuple[str, ...]:
    """What changed for all of them."""
    shared: set[str] | None = None
    for each in both:
        shared = set(each.changed) if shared is None else shared & set(each.changed)
    return tuple(name for name in (SUBMISSION, *MADE_WITH.values()) if name in (shared or ()))
