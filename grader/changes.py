"""What changed from one report of a workspace to the next: points won and lost, checks, mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.report import total

if TYPE_CHECKING:
    from grader.report import ExerciseReport, Mistake, Outcome, Report

NOT_BEGUN = "not-implemented"  # a state of an exercise: the points and the checks say all about it
HIDING = {NOT_BEGUN, "raises", "timeout", "out-of-memory", "crash"}  # there was no answer to show another mistake


@dataclass(frozen=True, slots=True)
class Change:
    """What changed in one exercise. `points` are won where they are above 0.

    A mistake is `gone` where the function was asked all there is to ask and answered, no points were lost, and it is
    named no more: a syntax error, or a call without an end, only hides it.
    """

    exercise: str
    points: float
    passed: tuple[Outcome, ...] = ()
    failed: tuple[Outcome, ...] = ()
    gone: tuple[Mistake, ...] = ()
    new: tuple[Mistake, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.points or self.passed or self.failed or self.gone or self.new)


def changes(before: Report, after: Report) -> tuple[Change, ...]:
    """The exercises in which anything changed; of one that either report could not grade nothing is said."""
    earlier = {each.name: each for each in before.exercises if each.status != "not-graded"}
    pairs = [(earlier[each.name], each) for each in after.exercises if each.name in earlier]
    return tuple(found for one, two in pairs if two.status != "not-graded" and (found := _change(one, two)))


def _change(before: ExerciseReport, after: ExerciseReport) -> Change:
    now, then = _passes(after), _passes(before)
    codes = {NOT_BEGUN, *(each.code for each in after.mistakes)}
    known = {NOT_BEGUN, *(each.code for each in before.mistakes)}
    shows = after.score >= before.score and not _hides(after)
    return Change(
        exercise=after.name,
        points=total([after.score, -before.score]),
        passed=tuple(each for each in after.tests if now[each.name] and not then.get(each.name, True)),
        failed=tuple(each for each in after.tests if not now[each.name] and then.get(each.name, False)),
        gone=tuple(each for each in before.mistakes if shows and each.code not in codes),
        new=tuple(each for each in after.mistakes if each.code not in known),
    )


def _hides(exercise: ExerciseReport) -> bool:
    """Whether there may be mistakes that it had no chance to show."""
    unasked = any(each.outcome not in ("passed", "failed") for each in exercise.tests)
    return unasked or any(each.code in HIDING for each in exercise.mistakes)


def _passes(exercise: ExerciseReport) -> Mapping[str, bool]:
    return {each.name: each.outcome == "passed" for each in exercise.tests}
