"""The report as the results.json that Gradescope reads.

The keys are those of https://gradescope-autograders.readthedocs.io/en/latest/specs/.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from grader.render import plain, reason
from grader.render.characters import cleaned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.report import ExerciseReport, Outcome, Report


def render(report: Report) -> str:
    """`report` as results.json: a test a check, the page for people as output, the whole report as extra_data.

    A score or the tests' scores are required of a result. Where the grader failed the file has neither: it says
    whose fault it was, and the platform, which finds no points in it, shows an error and no mark. (A file that
    is no JSON would be worse, and so is a score of 0: both are a student's zero.)

    Raises ValueError where a number is not finite.
    """
    # Databases refuse NUL and lone surrogates, and nobody wants a terminal's colours: all strings are `visible`.
    safe = cleaned(report)
    result: dict[str, Any] = {"score": safe.score, "tests": list(_tests(safe))} if report.graded else {}
    result |= {
        "output": plain.render(report),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "extra_data": safe.to_json(),
    }
    return json.dumps(result, indent=2, allow_nan=False) + "\n"


def _tests(report: Report) -> Iterator[dict[str, Any]]:
    for first, exercise in enumerate(report.exercises, 1):
        for second, test in enumerate(exercise.tests, 1):
            yield _test(test, exercise) | {"number": f"{first}.{second}"}


def _test(test: Outcome, exercise: ExerciseReport) -> dict[str, Any]:
    return {
        "name": reason.name(test, exercise),
        "score": test.points,
        "max_score": test.max_points,
        "status": "passed" if test.outcome == "passed" else "failed",
        "output": reason.text(test, exercise),
        "tags": [mistake.code for mistake in reason.mistakes(test, exercise)],
    }
