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
from grader.report import Huge, Report
from grader.submission import locate, read_submission
from grader.worker.launch import Launcher

RIGHT = sorted(path.parent for path in (Path(__file__).parent / "submissions").glob("right-*/expected.json"))
TOKENS = 2048
WIDTH = 64  # of a query, a key and a value

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


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case.name)
def test_a_tenth_of_every_limit_is_enough(case: Path, course: Course, grade_path: Grade) -> None:
    """Every right way has all its points with a tenth of the time, the memory, the files and the threads."""
    report = grade_path(case, *exercises(case), course=replace(course, limits=part(course.limits, 10)))
    lost = [(test.name, test.message) for each in report.exercises for test in each.tests if test.outcome != "passed"]
    assert not lost
    assert not [mistake.code for each in report.exercises for mistake in each.mistakes]


def test_limits_too_small_are_seen_by_these_tests(course: Course, grade_path: Grade) -> None:
    """A thousandth is not enough for the textbook's own way, so a tenth says something."""
    case = Path(__file__).parent / "submissions" / "right-plain-vectorised"
    report = grade_path(case, course=replace(course, limits=part(course.limits, 1000)))
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
    scores = rng.normal(size=(TOKENS, TOKENS)).astype(np.float32)
    mask = np.tri(TOKENS, dtype=bool)
    return {"softmax": ([scores], {}), "causal_mask": ([TOKENS], {}), "attention": ([q, k, v], {"mask": mask})}


@pytest.fixture(scope="session")
def right(long: dict[str, Any]) -> Any:
    """What attention gives there."""
    (q, k, v), named = long["attention"]
    scores = np.where(named["mask"], q @ k.T / np.sqrt(WIDTH), -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v


@pytest.mark.parametrize("case", [case for case in RIGHT if case.name not in ONE_BY_ONE], ids=lambda case: case.name)
def test_two_thousand_tokens_are_within_the_limits(
    case: Path, course: Course, launcher: Launcher, long: dict[str, Any], right: Any
) -> None:
    """Attention's output comes back right; the square ones are made, and are too large to be sent, as no test's is."""
    submission = read_submission(case)
    for exercise in map(course.exercise, exercises(case)):
        module = locate(submission, exercise.module, exercise.function)
        task = Task(submission, exercise, module)
        with Bench(course, None, launcher, 0).worker(task) as worker:  # no suite is run
            answer = worker.call(*long[exercise.name]).answer
        if exercise.name == "attention":
            assert isinstance(answer, np.ndarray), answer
            np.testing.assert_allclose(answer, right, rtol=1e-4, atol=1e-6)
        else:
            assert isinstance(answer, Huge), answer
            assert answer.shape == (TOKENS, TOKENS)
