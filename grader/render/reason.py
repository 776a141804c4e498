"""Why a check earned less than it could, in one text: for platforms that show every check by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.render import words
from grader.render.lines import abridged, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.report import ExerciseReport, Mistake, Outcome

NOT_GRADED = "could not be graded"


def name(test: Outcome, exercise: ExerciseReport) -> str:
    """The check's name on a platform that knows no exercises."""
    return one_line(f"{exercise.name}: {words.title(test)}")


def mistakes(test: Outcome, exercise: ExerciseReport) -> tuple[Mistake, ...]:
    """The mistakes to name beside a check: those it looks for, else all, since one of them is why it failed."""
    if test.outcome == "passed":
        return ()
    aimed = tuple(mistake for mistake in exercise.mistakes if mistake.code in test.targets)
    return aimed or exercise.mistakes


def text(test: Outcome, exercise: ExerciseReport) -> str:
    """The message, the mistakes behind it and lines to paste; empty where the check passed and says nothing."""
    return "\n\n".join(_parts(test, exercise))


def _parts(test: Outcome, exercise: ExerciseReport) -> Iterator[str]:
    if test.message:
        yield abridged(test.message)
    for mistake in mistakes(test, exercise):
        yield f"{words.certainty(mistake)}: {one_line(mistake.title).rstrip('.')}."
    if test.example:
        yield "\n".join((words.PASTE, *test.example))
