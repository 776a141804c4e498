"""The ladder of hints: one rung at a time, for the most valuable mistake there is now."""

from __future__ import annotations

from collections.abc import Callable

from grader.course import Course, Words
from grader.errors import UsageError
from grader.report import ExerciseReport, Mistake, Report
from grader.state import State

Expected = Callable[[Mistake], str]

NOTHING_LEFT = "has all its points: there is nothing left to hint at."
WAY = "Ask again for the next one."
LAST = "This was the last hint for this mistake."


def next_hint(
    report: Report, course: Course, name: str | None, state: State, expected: Expected, *, way: str = WAY
) -> str:
    """The next rung for what is wrong now; `state` moves on.

    `expected` gives what is right on a mistake's evidence, `way` says how to come by the rung after this one.
    """
    exercise = _wanted(report, course, name)
    if exercise is None or exercise.status == "passed":
        return f"{name or 'Everything here'} {NOTHING_LEFT}"
    forget_the_mended(exercise, state)
    mistake = next(iter(exercise.dearest_first), None)
    if mistake is None:
        return "\n\n".join([_score(exercise), *exercise.notes])
    rungs = ladder(mistake, course.words(course.exercise(exercise.name)).get(mistake.code), expected)
    shown = state.rungs.setdefault(exercise.name, {})
    rung = min(shown.get(mistake.code, 0), len(rungs) - 1)
    shown[mistake.code] = rung + 1
    more = f"\n\n{way if rung + 1 < len(rungs) else LAST}"
    return f"{_score(exercise)}\n\n{_title(mistake)}\nHint {rung + 1} of {len(rungs)}\n\n{rungs[rung]}{more}"


def every_hint(report: Report, course: Course, name: str | None, expected: Expected) -> str:
    """Every rung for every mistake."""
    exercise = _wanted(report, course, name)
    if exercise is None or exercise.status == "passed":
        return f"{name or 'Everything here'} {NOTHING_LEFT}"
    words = course.words(course.exercise(exercise.name))
    parts = [_score(exercise)]
    for mistake in exercise.mistakes:
        rungs = ladder(mistake, words.get(mistake.code), expected)
        numbered = [f"Hint {number} of {len(rungs)}\n\n{rung}" for number, rung in enumerate(rungs, 1)]
        parts.append("\n\n".join([_title(mistake), mistake.explanation, *numbered]))
    return "\n\n".join(parts)


def ladder(mistake: Mistake, words: Words | None, expected: Expected) -> list[str]:
    """The rungs: the course's hints, the second with the numbers of this run, and last what is right there."""
    hints = list(words.hints) if words else [mistake.explanation or mistake.title]
    if mistake.evidence is None:
        return hints
    lines = "\n".join(mistake.evidence.lines)
    place = min(1, len(hints) - 1)
    hints[place] += f"\n\nSee it on your own function, in Python:\n\n{lines}\n\nYours gives:\n\n{mistake.evidence.got}"
    return [*hints, f"The right result of\n\n{lines}\n\nis\n\n{expected(mistake)}"]


def forget_the_mended(exercise: ExerciseReport, state: State) -> None:
    """A mistake that is gone starts its ladder again should it come back."""
    now = {mistake.code for mistake in exercise.mistakes}
    shown = state.rungs.get(exercise.name, {})
    state.rungs[exercise.name] = {code: rung for code, rung in shown.items() if code in now}


def _wanted(report: Report, course: Course, name: str | None) -> ExerciseReport | None:
    """The exercise to give a hint on: the one named, else the first that is not solved; None when all are."""
    if not course.reveal.mistakes:
        raise UsageError(
            "this course gives no hints", where="course.yml: reveal.mistakes", remedy="Ask your instructor."
        )
    unsolved = (exercise for exercise in report.exercises if name is not None or exercise.status != "passed")
    return next((exercise for exercise in unsolved if name in (None, exercise.name)), None)


def _score(exercise: ExerciseReport) -> str:
    return f"{exercise.name}: {exercise.score:g} of {exercise.max_score:g} points"


def _title(mistake: Mistake) -> str:
    certainty = "Mistake found" if mistake.certainty == "matched" else "Possible mistake"
    return f"{certainty}: {mistake.title} ({mistake.code})"
