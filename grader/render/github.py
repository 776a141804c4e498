"""The report as GitHub Classroom's autograding takes it: base64 of a JSON result of version 3.

It is read by https://github.com/classroom-resources/autograding-grading-reporter (src/main.js and
src/notify-classroom.js), which sums the tests' scores and the results' max_score.
"""

from __future__ import annotations

import base64
import json
import math
import re
from typing import TYPE_CHECKING, Any

from grader.render import reason, words
from grader.render.characters import cleaned
from grader.render.lines import one_line, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from grader.report import ExerciseReport, Outcome, Report, TestOutcome

STATUSES: dict[TestOutcome, str] = {"passed": "pass", "error": "error"}  # all else is "fail"

# The result reaches the reporter in an environment variable, and Linux takes none above 128 KiB: execve(2).
LIMIT = 120_000
LENGTHS = (2000, 500, 100)  # of a message, in characters: the first that fits

# The reporter prints messages, and a runner obeys what is printed: a line that begins with `::name`, or `##[name`
# anywhere. Obeyed, a student's own text could announce a score.
_COMMAND = re.compile(r"(?<=##)(?=\[)|^[^\S\n]*:(?=:)", re.MULTILINE)


def render(report: Report) -> str:
    """`report` in base64, on one line.

    The scores of its tests, added up in order as the reporter does, give `report.score` to the last bit. Where
    the grader failed its status is `error`, which fails the run, and `max_score` is 0: to the reporter that is a
    result without points, so it announces none, and what Classroom showed before stays.

    Raises ValueError where a number is not finite.
    """
    safe = cleaned(report)
    lines = (_encoded(safe, length) for length in LENGTHS)
    return next((line for line in lines if len(line) <= LIMIT), _encoded(safe, 0)) + "\n"


def _encoded(report: Report, length: int) -> str:
    text = json.dumps(_result(report, length), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(text.encode()).decode("ascii")


def _result(report: Report, length: int) -> dict[str, Any]:
    tests = [_shortened(test, length) for test in _tests(report)]
    scores = adding_up([test["score"] for test in tests], report.score)
    return {
        "version": 3,
        "status": _status(report),
        "max_score": report.max_score if report.graded else 0,
        "tests": [test | {"score": score} for test, score in zip(tests, scores, strict=True)],
    }


def _status(report: Report) -> str:
    if not report.graded:
        return "error"
    return "pass" if report.score >= report.max_score else "fail"


def _tests(report: Report) -> list[dict[str, Any]]:
    """A test a check, and where the grader failed at least one that says so."""
    tests = [test for exercise in report.exercises for test in _of(exercise)]
    if not report.graded and all(test["status"] != "error" for test in tests):
        tests.append(_fault(f"{report.title} {reason.NOT_GRADED}", words.notice(report)))
    return tests


def _of(exercise: ExerciseReport) -> Iterator[dict[str, Any]]:
    yield from (_test(test, exercise) for test in exercise.tests)
    if exercise.status == "not-graded" and all(test.outcome != "error" for test in exercise.tests):
        yield _fault(f"{exercise.name} {reason.NOT_GRADED}", words.ungraded(exercise))


def _test(test: Outcome, exercise: ExerciseReport) -> dict[str, Any]:
    return {
        "name": reason.name(test, exercise),
        "status": STATUSES.get(test.outcome, "fail"),
        "message": reason.text(test, exercise),
        "score": test.points,
        "line_no": 0,
    }


def _fault(name: str, message: str) -> dict[str, Any]:
    return {"name": name, "status": "error", "message": message, "score": 0.0, "line_no": 0}


def _shortened(test: dict[str, Any], length: int) -> dict[str, Any]:
    message = shortened(test["message"], length) if length else ""
    return test | {"name": _disarmed(one_line(test["name"])), "message": _disarmed(message)}


def _disarmed(text: str) -> str:
    return _COMMAND.sub(r"\g<0> ", text)


def adding_up(points: Sequence[float], to: float) -> list[float]:
    """`points` moved by the noise of binary fractions, where there is any: added one by one they give `to`."""
    if _summed(points) == to:
        return list(points)
    unit = math.ulp(to)  # sums of its multiples are exact, up to `to`
    result = [round(value / unit) * unit for value in points]
    last = max((place for place, value in enumerate(result) if value), default=None)
    if last is not None:
        result[last] = to - _summed(result[:last])
    return result


def _summed(points: Iterable[float]) -> float:
    """Added one by one, as JavaScript's `+=` does and Python's `sum`, from 3.12 on, does not."""
    result = 0.0
    for value in points:
        result += value
    return result
