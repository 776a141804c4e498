"""The calls that hidden tests make of a right function, found by running them once with the model's.

They depend on the seed and on what is answered, and right answers are alike. So a worker can be told what is coming.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grader.course import Exercise
from grader.model import Call, load_model
from grader.report import Response
from grader.suite_runner import Function, Suites
from grader.worker.host import InProcess


class Rehearsals:
    """The calls by exercise, for one course, its suites and one seed."""

    def __init__(self, suites: Suites, seed: int) -> None:
        self.suites = suites
        self.seed = seed
        self.known: dict[str, list[Call]] = {}

    def calls(self, exercise: Exercise) -> Sequence[Call]:
        """The calls in their order; none where the exercise has no model."""
        if exercise.name not in self.known:
            self.known[exercise.name] = self._rehearse(exercise)
        return self.known[exercise.name]

    def _rehearse(self, exercise: Exercise) -> list[Call]:
        if not exercise.model:
            return []
        listener = _Listener(InProcess(load_model(exercise.model, exercise.function).function))
        self.suites.run(exercise, Function(exercise.function, listener, lambda _: ""), self.seed)
        return listener.calls


class _Listener:
    """Hears every call that is made of a function."""

    def __init__(self, function: InProcess) -> None:
        self.function = function
        self.calls: list[Call] = []

    def call(self, args: Sequence[Any], named: Mapping[str, Any]) -> Response:
        self.calls.append((tuple(args), dict(named)))
        return self.function.call(args, named)
