"""What the score would be with one of the named mistakes repaired: the model takes the student's place.

A model that reproduces the student's answers is run through the same hidden tests, in this process, with one of its
mistakes repaired. What was once worked out is kept, for a class makes the same mistakes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.course import Exercise
from grader.diagnosis import Fit
from grader.model import Model
from grader.report import WhatIf, total
from grader.suite_runner import Function, Suites
from grader.worker.host import InProcess

MUTATES = "mutates-input"


class Repairs:
    """The scores of models with mistakes left in them, for one course, its suites and one seed."""

    def __init__(self, suites: Suites, seed: int) -> None:
        self.suites = suites
        self.seed = seed
        self.known: dict[tuple[str, frozenset[tuple[str, str]], bool], float] = {}

    def of(self, exercise: Exercise, model: Model, fit: Fit, codes: Sequence[str]) -> tuple[WhatIf, ...]:
        """For each code named, in points of the exercise, the score with that mistake alone repaired."""
        return tuple(WhatIf((code,), self._without(exercise, model, fit, codes, code)) for code in codes)

    def _without(self, exercise: Exercise, model: Model, fit: Fit, codes: Sequence[str], repaired: str) -> float:
        left = {step: setting for step, setting in fit.settings.items() if model.switches[step][setting] != repaired}
        mutates = MUTATES in codes and repaired != MUTATES
        key = exercise.name, frozenset(left.items()), mutates
        if key not in self.known:
            self.known[key] = self._score(exercise, model, left, mutates=mutates)
        return self.known[key]

    def _score(self, exercise: Exercise, model: Model, left: Mapping[str, str], *, mutates: bool) -> float:
        callee = InProcess(_changing(model.wrong(left)) if mutates else model.wrong(left))
        outcomes = self.suites.run(exercise, Function(exercise.function, callee, lambda _: ""), self.seed)
        return total(outcome.points for outcome in outcomes)


def _changing(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, made to change its first argument as well."""

    def changing(first: Any, *rest: Any, **named: Any) -> Any:
        result = function(first.copy(), *rest, **named)
        first[...] = 0
        return result

    return changing
