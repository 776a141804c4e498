"""The hidden suites judge whatever an answer looks like: none is an error of theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from grader.course import Course, default_root, load_course
from grader.model import load_model
from grader.report import Report
from grader.suite_runner import Function, Suites, with_suites
from grader.worker.host import InProcess

SEED = 3
ODD: dict[str, Callable[[Any], Any]] = {
    "a row short": lambda answer: answer[:-1],
    "a column short": lambda answer: answer[..., :-1],
    "a dimension more": lambda answer: answer[..., np.newaxis],
    "a dimension less": lambda answer: answer.sum(axis=-1),
    "a number": lambda answer: answer.sum(),
    "turned": lambda answer: answer.T,
    "nothing": lambda answer: answer[:0],
    "twice": lambda answer: np.concatenate([answer, answer]),
    "nan": lambda answer: answer * np.nan,
    "infinity": lambda answer: answer * np.inf,
    "small whole numbers": lambda answer: answer.astype(np.uint8),
    "flags": lambda answer: answer != 0,
    "half precision": lambda answer: answer.astype(np.float16),
}


class Spoiled:
    """A right function, but for its answer to one call, or to all from there on."""

    def __init__(self, function: Callable[..., Any], spoil: Callable[[Any], Any], first: int, last: int) -> None:
        self.function = function
        self.spoil = spoil
        self.calls = range(first, last)
        self.made = -1

    def __call__(self, *args: Any, **named: Any) -> Any:
        self.made += 1
        answer = self.function(*args, **named)
        with np.errstate(all="ignore"):
            return self.spoil(answer) if self.made in self.calls else answer


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.filterwarnings("ignore")
def test_no_answer_is_an_error_of_the_suites(odd: str) -> None:
    """A right function whose answer to one call, or to all from one on, is odd: tests fail or pass, each says why."""
    course = load_course(default_root())

    def errors(suites: Suites) -> list[str]:
        return [fault for exercise in course.exercises for fault in _faults(course, suites, exercise.name, ODD[odd])]

    assert not with_suites(course, errors)


def _faults(course: Course, suites: Suites, name: str, spoil: Callable[[Any], Any]) -> list[str]:
    exercise = course.exercise(name)
    assert exercise.model is not None
    right = load_model(exercise.model, exercise.function).function
    whole = Function(exercise.function, InProcess(right), lambda _: "")
    suites.run(exercise, whole, SEED)
    found = []
    for call in range(len(whole.responses)):
        for last in (call + 1, len(whole.responses)):
            function = Function(exercise.function, InProcess(Spoiled(right, spoil, call, last)), lambda _: "")
            outcomes = suites.run(exercise, function, SEED)
            found += [f"{name}: {each.name}: {each.message}" for each in outcomes if each.outcome == "error"]
    return found


@pytest.mark.parametrize(("gap", "said"), [(100.0, "100"), (0.02, "0.02"), (40_000.0, "40000"), (4e9, "4e+09")])
def test_a_gap_is_a_number_as_one_reads_it(grade_text: Callable[..., Report], gap: float, said: str) -> None:
    """How far off an answer is stands in plain figures where those are few: 100, not 1e+02."""
    source = f"""
import numpy as np
def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True) + {gap!r}
"""
    messages = [test.message for test in grade_text({"softmax.py": source}, "softmax").exercises[0].tests]
    assert any(message.endswith(f"off, by up to {said}.") for message in messages)
