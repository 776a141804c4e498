"""Limits hold up what runs away, and never honest code: a tenth of each is enough at the sizes that tests use.

Written for whole arrays, a function also computes 2,048 tokens under the limits as they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.attempt import Bench, Task
from grader.course import Course, Limits
from grader.grading import Grading
from grader.report import Huge, Raised, Report
from grader.submission import locate, read_submission
from grader.suite_runner import Suites, with_suites
from grader.worker.launch import Launcher

RIGHT = sorted(path.parent for path in (Path(__file__).parent / "submissions").glob("right-*/expected.json"))
TOKENS = 2048
WIDTH = 64  # of a query, a key and a value
ROWS = 128  # of softmax alone: as many as an answer may have; attention has all of them

# What is not written for whole arrays, or for numbers that no processor multiplies as such, each with its reason.
ONE_BY_ONE = {
    "right-beginner-loops": "a Python loop for every number",
    "right-closures": "a Python loop for every score",
    "right-compensated-sums": "math.fsum for every sum",
    "right-decimals": "decimals, number by number",
    "right-functional": "map and reduce, number by number",
    "right-generators": "generators, number by number",
    "right-longdouble": "no BLAS multiplies long doubles: 1.9 s of the 2 s there are",
    "right-mask-recursion": "one recursion a row, deeper than Python goes",
    "right-object-arrays-inside": "Python objects in arrays",
    "right-pairwise-ratios": "every entry over every entry: a cube of numbers",
    "right-vectorize-signature": "np.vectorize, which is a Python loop",
}

Grade = Callable[..., Report]


def exercises(case: Path) -> list[str]:
    return list(json.loads((case / "expected.json").read_text(encoding="utf-8"))["exercises"])


def part(limits: Limits, divisor: float) -> Limits:
    return Limits(**{limit.name: getattr(limits, limit.name) / divisor for limit in fields(limits)})


def test_what_the_course_gives_is_what_is_divided_here(course: Course) -> None:
    """The course's own limits, each of them, by ten."""
    tenth = part(course.limits, 10)
    assert (tenth.call_cpu_seconds, tenth.load_cpu_seconds, tenth.memory_mebibytes) == (0.2, 0.5, 102.4)
    assert all(getattr(tenth, limit.name) * 9 < getattr(Limits(), limit.name) for limit in fields(Limits))


@pytest.fixture(scope="session")
def reports(course: Course, launcher: Launcher) -> dict[str, Report]:
    """Every right way graded with a tenth of every limit, the suites collected once for all."""
    narrow = replace(course, limits=part(course.limits, 10))

    def graded(suites: Suites) -> dict[str, Report]:
        grading = Grading(narrow, suites, launcher, 0)
        return {
            case.name: grading.report(read_submission(case), [course.exercise(name) for name in exercises(case)])
            for case in RIGHT
        }

    return with_suites(narrow, graded)


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case.name)
def test_a_tenth_of_every_limit_is_enough(case: Path, reports: dict[str, Report]) -> None:
    """Every right way has all its points with a tenth of the time, the memory, the files and the threads."""
    report = reports[case.name]
    lost = [(test.name, test.message) for each in report.exercises for test in each.tests if test.outcome != "passed"]
    assert not lost
    assert report.score == report.max_score
    assert not [mistake.code for each in report.exercises for mistake in each.mistakes]


@pytest.mark.parametrize("limit", ["call_cpu_seconds", "load_cpu_seconds"])
def test_too_little_time_is_seen_by_these_tests(limit: str, course: Course, grade_path: Grade) -> None:
    """Two or five millionths of a second cost the textbook's own way its points, so a tenth says something."""
    case = Path(__file__).parent / "submissions" / "right-plain-vectorised"
    small = replace(course.limits, **{limit: getattr(course.limits, limit) / 1e6})
    report = grade_path(case, course=replace(course, limits=small))
    assert report.graded
    assert report.score < report.max_score


def test_only_a_few_ways_are_excused_from_long_inputs() -> None:
    """Each exception is a case, and they are few."""
    assert set(ONE_BY_ONE) <= {case.name for case in RIGHT}
    assert len(ONE_BY_ONE) < len(RIGHT) / 6


@pytest.fixture(scope="session")
def long() -> dict[str, tuple[list[Any], dict[str, Any]]]:
    """What each exercise is given: arguments by place and by name."""
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(3, TOKENS, WIDTH))
    scores = 10 * rng.normal(size=(ROWS, TOKENS))
    mask = np.tri(TOKENS, dtype=bool)
    return {"softmax": ([scores], {}), "causal_mask": ([TOKENS], {}), "attention": ([q, k, v], {"mask": mask})}


def softmax(x: Any) -> Any:
    weights = np.exp(x - x.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


@pytest.fixture(scope="session")
def right(long: dict[str, Any]) -> dict[str, Any]:
    """What softmax and attention give there."""
    (q, k, v), named = long["attention"]
    scores = np.where(named["mask"], q @ k.T / np.sqrt(WIDTH), -np.inf)
    return {"softmax": softmax(long["softmax"][0][0]), "attention": softmax(scores) @ v}


@pytest.fixture
def ask(course: Course, launcher: Launcher, long: dict[str, Any]) -> Callable[..., Any]:
    """What a case's function answers to the long arguments."""

    def asked(case: Path, name: str, limits: Limits) -> Any:
        submission, exercise = read_submission(case), course.exercise(name)
        task = Task(submission, exercise, locate(submission, exercise.module, exercise.function))
        with Bench(replace(course, limits=limits), None, launcher, 0).worker(task) as worker:  # no suite is run
            return worker.call(*long[name]).answer

    return asked


@pytest.mark.parametrize("case", [case for case in RIGHT if case.name not in ONE_BY_ONE], ids=lambda case: case.name)
def test_two_thousand_tokens_are_within_the_limits(
    case: Path, course: Course, ask: Callable[..., Any], right: dict[str, Any]
) -> None:
    """Softmax and attention come back right; the square mask is made, and is larger than any answer that is read."""
    for name in exercises(case):
        answer = ask(case, name, course.limits)
        if name in right:
            assert isinstance(answer, np.ndarray), answer
            np.testing.assert_allclose(answer, right[name], rtol=1e-4, atol=1e-6)
        else:
            assert answer == Huge((TOKENS, TOKENS), "bool")


def test_too_little_memory_is_seen_by_these_tests(course: Course, ask: Callable[..., Any]) -> None:
    """2,048 by 2,048 scores take 32 MiB, of which a sixteenth of the memory has no room for two."""
    case = Path(__file__).parent / "submissions" / "right-plain-vectorised"
    answer = ask(case, "attention", replace(course.limits, memory_mebibytes=course.limits.memory_mebibytes / 16))
    assert isinstance(answer, Raised), answer
    assert "MemoryError" in answer.kinds
