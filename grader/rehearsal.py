"""What a worker is put at once: the calls that hidden tests make of a right function, and a model's probes.

The former are found by running the tests once with the model's function. They depend on the seed and on what is
answered, and right answers are alike, so a worker can be told what is coming.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grader.course import Exercise
from grader.model import Call, Model, load_model
from grader.report import Response
from grader.suite_runner import Function, Suites
from grader.worker.host import InProcess
from grader.worker.script import Script


class Rehearsals:
    """The scripts of one course, its suites and one seed, each made when it is first asked for."""

    def __init__(self, suites: Suites, seed: int) -> None:
        self.suites = suites
        self.seed = seed
        self.tests: dict[str, Script] = {}
        self.drawn: dict[Model, Script] = {}

    def calls(self, exercise: Exercise) -> Script:
        """The calls of an exercise's tests; none where it has no model."""
        if exercise.name not in self.tests:
            self.tests[exercise.name] = Script(self._rehearse(exercise))
        return self.tests[exercise.name]

    def probes(self, model: Model) -> Script:
        """The model's probes."""
        if model not in self.drawn:
            self.drawn[model] = Script(model.probes(self.seed))
        return self.drawn[model]

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
