"""The cases of tests/submissions: every right way gets full marks, every wrong one less, and each is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.course import Course, Limits
from grader.report import ExerciseReport, Report

CASES = sorted(path.parent for path in (Path(__file__).parent / "submissions").glob("*/expected.json"))

Grade = Callable[..., Report]

# A fifth of what a course gives by default: enough for every right case, and endless loops end sooner.
HASTY = Limits(call_cpu_seconds=0.4, call_wall_seconds=2.0, load_cpu_seconds=1.0, load_wall_seconds=2.0)


# Cases that combine mistakes and are not named exactly, each with its reason. Where one mistake is made, all are.
NOT_EXACT: frozenset[str] = frozenset()


def test_only_combinations_may_be_inexact() -> None:
    """Each exception is a case that combines mistakes, and there are few."""
    combined = {case.name for case in CASES if any(len(each["mistakes"]) > 1 for each in expected(case).values())}
    assert combined >= NOT_EXACT
    assert len(NOT_EXACT) <= 0.05 * len(combined)


@pytest.fixture(scope="session")
def hasty(course: Course) -> Course:
    return replace(course, limits=HASTY)


def expected(case: Path) -> dict[str, dict[str, Any]]:
    exercises: dict[str, dict[str, Any]] = json.loads((case / "expected.json").read_text(encoding="utf-8"))["exercises"]
    return exercises


def verdicts(report: Report) -> list[tuple[str, str, str]]:
    return [(exercise.name, test.name, test.outcome) for exercise in report.exercises for test in exercise.tests]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path, grade_path: Grade, hasty: Course, pytestconfig: pytest.Config) -> None:
    """Right cases get all points and no mistake, wrong ones lose points and are named; `--seeds` tries more seeds."""
    wanted = expected(case)
    seeds = map(int, pytestconfig.getoption("--seeds").split(","))
    first, *others = (grade_path(case, *wanted, course=hasty, seed=seed) for seed in seeds)
    assert first.graded
    for exercise in first.exercises:
        judge(exercise, wanted[exercise.name], exact=case.name not in NOT_EXACT)
    assert all(verdicts(first) == verdicts(other) for other in others)


def judge(exercise: ExerciseReport, wanted: dict[str, Any], *, exact: bool) -> None:
    failed = [test for test in exercise.tests if test.outcome != "passed"]
    if not wanted["mistakes"]:
        assert not failed, [(test.name, test.message) for test in failed]
        assert exercise.score == exercise.max_score
        assert not exercise.mistakes
        return
    assert exercise.score < exercise.max_score
    named = [mistake.code for mistake in exercise.mistakes]
    matched = {mistake.code for mistake in exercise.mistakes if mistake.certainty == "matched"}
    assert matched <= set(wanted["mistakes"]), f"matched {matched}"
    assert named == wanted["mistakes"] or not exact, f"named {named}"
    for code in wanted["mistakes"]:
        aimed = [test for test in exercise.tests if code in test.targets]
        assert not aimed or any(test in failed for test in aimed), f"no test that targets {code} failed"
    if "failing" in wanted:
        assert [test.name for test in failed] == wanted["failing"]
    if "at_most" in wanted:
        assert exercise.score <= wanted["at_most"] * exercise.max_score
