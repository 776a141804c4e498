"""Evidence a learner can use: the smallest input on which their function and the right one differ, ready to paste.

The inputs are tried in the order of the model's `examples`, smallest first; none of them is a hidden test's. Where
the mistakes are known, the input is one on which repairing that very mistake changes the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from grader.answers import observed_code, short
from grader.course import Course
from grader.diagnosis import Fit, alike
from grader.model import Call, Model, load_model
from grader.report import Answer, Evidence, Mistake, Response
from grader.worker.host import InProcess

Ask: TypeAlias = Callable[[Sequence[Any], Mapping[str, Any]], Response]

Settings: TypeAlias = tuple[tuple[str, str], ...]  # (step, setting) of each step that is not right

MOST_ASKED = 60
OBSERVED = {"raises", "wrong-type", "import-error"}  # an example has to show these as they are


def find_evidence(model: Model, function: str, imports: str, ask: Ask, fit: Fit | None, code: str) -> Evidence | None:
    """The first example on which the student's answer shows `code`; None where none of them does.

    `fit` is given where it reproduces the student's answers with `code` among its codes: then the mistake has to show
    beside the others and by itself. One that is only suspected has to be able to show, and what is observed to be seen.
    """
    settings = tuple(fit.settings.items()) if fit is not None else None
    for number, call in enumerate(model.examples[:MOST_ASKED]):
        if not (_tells(model, number, settings, code) if settings is not None else _may_tell(model, number, code)):
            continue
        got = ask(*call).answer
        if not alike(got, _answer(model, number)) and (code not in OBSERVED or observed_code(got) == code):
            return Evidence((imports, in_python(function, call)), short(got))
    return None


@lru_cache(maxsize=4_096)
def _tells(model: Model, number: int, settings: Settings, code: str) -> bool:
    """Whether the mistake shows: the answer is wrong with it alone, wrong with all, and another once it is repaired.

    Kept, as are answers: a class makes the same mistakes.
    """
    alone = tuple((step, setting) for step, setting in settings if model.switches[step][setting] == code)
    others = tuple(each for each in settings if each not in alone)
    right, whole = _answer(model, number), _answer(model, number, settings)
    wrong = not alike(_answer(model, number, alone), right) and not alike(whole, right)
    return wrong and not alike(whole, _answer(model, number, others))


@lru_cache(maxsize=4_096)
def _may_tell(model: Model, number: int, code: str) -> bool:
    """Whether the mistake can show, in one of its forms at least; of what the model has no form of, anything may."""
    forms = [(step, way) for step, ways in model.switches.items() for way, its in ways.items() if its == code]
    return not forms or any(not alike(_answer(model, number, (form,)), _answer(model, number)) for form in forms)


@lru_cache(maxsize=4_096)
def _answer(model: Model, number: int, settings: Settings = ()) -> Answer:
    return answer(model, model.examples[number], dict(settings))


def expected(course: Course) -> Callable[[Mistake], str]:
    """What the right function gives on a mistake's evidence, for the last rung of a ladder."""
    right = right_result(course)
    return lambda mistake: right(mistake.evidence.lines[-1]) if mistake.evidence else ""


def right_result(course: Course) -> Callable[[str], str]:
    """What the right function gives for a call as evidence has it; "" where the course has no such example."""

    def right(line: str) -> str:
        exercise = next((each for each in course.exercises if line.startswith(f"{each.function}(")), None)
        model = load_model(exercise.model, exercise.function) if exercise and exercise.model else None
        if exercise is None or model is None:
            return ""
        call = next((call for call in model.examples if in_python(exercise.function, call) == line), None)
        return short(answer(model, call)) if call else ""

    return right


def answer(model: Model, call: Call, settings: Mapping[str, str] | None = None) -> Answer:
    """What the model answers to a call, with these of its settings wrong."""
    with np.errstate(all="ignore"):
        return InProcess(model.wrong(settings or {})).call(*call).answer


def in_python(function: str, call: Call) -> str:
    """A call as a line of Python."""
    args, named = call
    words = [_literal(value) for value in args] + [f"{name}={_literal(value)}" for name, value in named.items()]
    return f"{function}({', '.join(words)})"


def _listed(value: Any) -> str:
    """A nested list as Python, equal entries in one: `[50.0] * 16`."""
    if not isinstance(value, list):
        return repr(value)
    if len(value) > 4 and all(each == value[0] for each in value):
        return f"[{_listed(value[0])}] * {len(value)}"
    return f"[{', '.join(map(_listed, value))}]"


def _literal(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return repr(value)
    numbers = _listed(value.tolist()).replace("inf", "np.inf").replace("nan", "np.nan")
    plain = value.dtype in (np.float64, np.int64, np.bool_)
    return f"np.array({numbers})" if plain else f"np.array({numbers}, dtype=np.{value.dtype})"
