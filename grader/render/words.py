"""Numbers, counts and sentences, the same in every format for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.render.lines import NO_BREAK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.report import ExerciseReport, Map, Mistake, Outcome, Receipt, Report

PRINTED = "Your code printed:"
SHOWN = "A small input that shows it, to paste into Python:"
GIVES = "Your function gives:"
PASTE = "To try it yourself, paste into Python:"
MOST_TITLES = 4  # more of them say nothing more
PRAISE = "Full marks. Well done."  # the next step says by itself what was passed
OURS = "This is not your fault: the grader failed"
NOT_YOURS = "The grader failed, not your code"


def submitted(path: str) -> str:
    """What was graded."""
    return f"Submission: {path}"


def failed(check: str) -> str:
    """The head of a failed check, from its title."""
    return f"Failed: {check}."


def mapped(each: Map) -> str:
    """The head of a map, from its title."""
    return f"Map: {each.title}"


def noted(note: str) -> str:
    """Something to know beside the checks."""
    return f"Note: {note}"


def following(step: str) -> str:
    """The one thing to do now."""
    return f"Next: {step}"


def number(value: float) -> str:
    """A number of points with at most two decimals and no idle zeros: 6, 2.5, 0.33."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def counted(amount: float, noun: str) -> str:
    """`1 check`, `2.5 points`."""
    figure = number(amount)
    return f"{figure} {noun}" if figure == "1" else f"{figure} {noun}s"


def score(value: float, of: float, decided: float) -> str:
    """`14 of 30`; where the grader could not decide every point, only what is known: never a zero it made."""
    if decided >= of > 0:
        return f"{number(value)} of {number(of)}"
    return f"{number(value)} so far" if decided > 0 else "no score"


def decided(exercise: ExerciseReport) -> float:
    """How many of the exercise's points the grader could give or refuse."""
    if exercise.status == "not-graded":
        return sum(test.max_points for test in exercise.tests if test.outcome != "error")
    return exercise.max_score - sum(test.max_points for test in exercise.tests if test.outcome == "error")


def status(exercise: ExerciseReport) -> str:
    """`passed`, `3 checks failed`, `not implemented`, …"""
    if exercise.status == "not-graded" and decided(exercise) > 0:
        return "partly graded"
    if exercise.status != "failed":
        return exercise.status.replace("-", " ")
    for outcome, words in (("failed", "failed"), ("skipped", "not run")):
        if tests := [test for test in exercise.tests if test.outcome == outcome]:
            return f"{counted(len(tests), 'check')} {words}"
    return "failed"


def gain(mistake: Mistake, exercise: ExerciseReport) -> str:
    """What repairing a mistake alone would give, where that is known and more than now."""
    score = exercise.repaired(mistake.code)
    if score is None or score <= exercise.score:
        return ""
    return f"Repairing this alone gives {number(score)} of {number(exercise.max_score)} for {exercise.name}."


def title(outcome: Outcome) -> str:
    """The promise the check holds the code to; it stands as a heading, so it has no full stop."""
    return (outcome.title or outcome.name.replace("_", " ")).rstrip(".")


def lost(tests: Sequence[Outcome]) -> str:
    """`6 points lost`."""
    return f"{counted(sum(test.max_points - test.points for test in tests), 'point')} lost"


def lost_alike(tests: Sequence[Outcome]) -> str:
    """What checks that fail alike lost together: `9 points lost, with 1 more check that fails the same way`."""
    others = len(tests) - 1
    fail = "check that fails" if others == 1 else "checks that fail"
    return f"{lost(tests)}, with {others} more {fail} the same way" if others else lost(tests)


def worth(tests: Sequence[Outcome]) -> str:
    """`3 checks worth 9 points`."""
    points = sum(test.max_points for test in tests)
    return f"{counted(len(tests), 'check')} worth {counted(points, 'point')}"


def as_with(name: str) -> str:
    """In place of an explanation that an exercise above has."""
    return f"As explained with {name} above."


def alike(tests: Sequence[Outcome]) -> str:
    """One sentence for the checks that fail with the message just told."""
    fail = "check fails" if len(tests) == 1 else "checks fail"
    titles = f": {'; '.join(map(title, tests))}" if len(tests) <= MOST_TITLES else ""
    return f"{len(tests)} more {fail} the same way ({lost(tests)}){titles}."


def not_run(tests: Sequence[Outcome]) -> str:
    """One sentence for the checks that were skipped for one reason."""
    return _because(f"{worth(tests)} {'was' if len(tests) == 1 else 'were'} not run", tests[0].message)


def fault(tests: Sequence[Outcome]) -> str:
    """One sentence for the checks the grader failed at, for one reason."""
    return _because(f"{NOT_YOURS}, on {worth(tests)}", tests[0].message)


def ungraded(exercise: ExerciseReport) -> str:
    """Where the grader failed at the whole exercise."""
    return f"{NOT_YOURS}: {exercise.name} could not be graded."


def _because(sentence: str, message: str) -> str:
    """`sentence` with its reason; what a message says by itself, standing alone, is not said twice."""
    reason = message.removeprefix("Not run: ").removeprefix("The grader failed here, not your code: ")
    return f"{sentence}: {reason}" if reason else f"{sentence}."


def more_lines(left_out: int) -> str:
    """How much output is not shown, and how to see it."""
    return f"… and {counted(left_out, 'more line')} (--show-output shows all)"


def notice(report: Report) -> str:
    """What stands above the scores where the grader failed; empty where it did not."""
    if report.graded:
        return ""
    known = sum(map(decided, report.exercises))
    if known <= 0:
        return f"{OURS}, and nothing could be graded. There is no score yet."
    open_points = round(report.max_score - known, 2)
    part = f", so {number(open_points)} of {counted(report.max_score, 'point')} could not be graded"
    return f"{OURS}{part if open_points else ''}. Score so far: {number(report.score)} of {number(known)}."


def certainty(mistake: Mistake) -> str:
    """What to put before a mistake's title, so that a guess never reads as a finding."""
    if mistake.code == "unexplained":
        return "Not explained"
    return "Mistake found" if mistake.certainty == "matched" else "Possible mistake"


def receipt(made: Receipt) -> tuple[str, ...]:
    """What the report was made with, in parts that are not to be broken."""
    parts = (
        ("digest of the seed", f"{made.seed:08x}") if made.secret else ("seed", str(made.seed)),
        ("isolation", made.isolation),
        ("Python", made.python),
        ("NumPy", made.numpy),
        ("grader", made.grader),
    )
    return tuple(f"{name}{NO_BREAK}{value}" for name, value in parts if value)
