"""Trying an exercise: a worker is started, the submission loaded, and the hidden tests put to its function."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from grader.answers import sentence
from grader.course import Course
from grader.diagnosis import alike
from grader.errors import WorkerError
from grader.isolation import NOT_NEEDED
from grader.job import Task, job
from grader.notes import cut_down, whereabouts, why_nothing
from grader.rehearsal import Rehearsals
from grader.report import Items, Outcome, Response, total
from grader.slicing import goes_on_from, without
from grader.source import parse
from grader.stubs import uses_any
from grader.submission import Module, locate
from grader.suite_runner import Function, Suites
from grader.worker.host import Worker
from grader.worker.launch import Launcher
from grader.worker.received import Hello, Loaded

MOST_LEFT_OUT = 20  # statements of a notebook that it may be tried without
MOST_LOOKED_AT = 40_000  # statements in all those tries: each reads the notebook anew


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of an exercise: what loading gave, the tests' outcomes, and every response on the way.

    Its worker, where there was something to call, may be asked more, and starts again should it have ended.
    """

    loaded: Loaded
    outcomes: tuple[Outcome, ...]
    responses: tuple[Response, ...] = ()
    mutated: bool = False
    borrow: str = ""
    seconds: float = 0.0
    worker: Worker | None = None

    @property
    def score(self) -> float:
        """Points."""
        return total(outcome.points for outcome in self.outcomes)

    @property
    def passed(self) -> bool:
        """Whether every test did."""
        return bool(self.outcomes) and all(outcome.outcome == "passed" for outcome in self.outcomes)

    @property
    def broke_the_grader(self) -> bool:
        """Whether a test's outcome is a fault of ours."""
        return any(outcome.outcome == "error" for outcome in self.outcomes)

    def answers_as(self, other: Attempt) -> bool:
        """Whether it answered alike throughout: then it makes no difference which of the two is looked at."""
        pairs = zip(self.responses, other.responses, strict=False)
        same = len(self.responses) == len(other.responses) > 0
        return same and all(alike(one.answer, two.answer) for one, two in pairs)

    @property
    def tried(self) -> tuple[str, ...]:
        """What the code was seen to try and may not, each once."""
        seen = [*self.loaded.tried, *(what for response in self.responses for what in response.tried)]
        return tuple(dict.fromkeys(seen))

    @property
    def timed_out(self) -> bool:
        """Whether a call of the function did."""
        return self.loaded.callable and any(outcome.outcome == "skipped" for outcome in self.outcomes)

    @property
    def answered(self) -> bool:
        """Whether there is anything to fit a model to: an array that came back, by itself or in a tuple."""
        return any(isinstance(response.answer, (np.ndarray, Items)) for response in self.responses)


class Bench:
    """Where exercises are tried: one course, one seed, suites that were collected once, and workers to be had.

    `maps` says whether reports are to have maps.
    """

    def __init__(self, course: Course, suites: Suites, launcher: Launcher, seed: int, *, maps: bool = False) -> None:
        self.course = course
        self.maps = maps
        self.suites = suites
        self.rehearsals = Rehearsals(suites, seed)
        self.launcher = launcher
        self.workers: list[Worker] = []  # of the attempts since it was last closed
        self.seed = seed
        self.endless: tuple[str, list[int]] = "", []  # the last notebook that never ended, and what it did not end at
        self.hello = self.no_worker = Hello(NOT_NEEDED, platform.python_version(), np.__version__)

    def first_try(self, task: Task) -> tuple[Task, Attempt]:
        """Try the exercise as it is; a notebook that never ends, or ends its process, without the statements it was at.

        With the attempt comes the task as it was tried. A statement that did not end is not waited for again where the
        same notebook, or one that goes on from it, gets full marks without.
        """
        text, known = self.endless
        if known and goes_on_from(task.module.text, text):
            attempt = self.attempt(_without(task, known))
            if attempt.passed:
                return _said(_without(task, known), task.module, known), attempt
        whole = self.attempt(task)
        if not whole.loaded.ended or not task.module.statements:
            return task, whole
        left_out, attempt = self._leaving_out(task, whole)
        if not attempt.score:  # what it needs never ends
            return task, whole
        self.endless = task.module.text, left_out
        return _said(_without(task, left_out), task.module, left_out), attempt

    def _leaving_out(self, task: Task, attempt: Attempt) -> tuple[list[int], Attempt]:
        """Leave out one statement after the other that a notebook does not get past, and what comes of it."""
        left: list[int] = []
        there = range(len(parse(task.module.text).body))
        most = min(MOST_LEFT_OUT, MOST_LOOKED_AT // max(len(there), 1))
        while attempt.loaded.ended and attempt.loaded.at in there and attempt.loaded.at not in left:
            if len(left) == most or attempt.seconds >= self.course.limits.exercise_seconds:
                break
            left.append(attempt.loaded.at)
            attempt = self.attempt(_without(task, left), used=attempt.seconds)
        return left, attempt

    def attempt(self, task: Task, borrow: str = "", used: float = 0.0) -> Attempt:
        """Try the exercise, with the submission's other functions or, borrowed, with the reference's.

        `used` are the seconds that earlier tries took of what an exercise may take in all.
        """
        exercise = task.exercise
        worker = self.worker(task, borrow, used)
        try:
            loaded = worker.load()
        except WorkerError as error:
            failure = f"The grader failed here, not your code: {error}"
            return Attempt(Loaded(), self.suites.not_run(exercise, "error", failure))
        self.hello = worker.hello
        if loaded.ended or not loaded.callable:
            why = why_nothing(exercise, task.module, loaded)
            skipped = self.suites.not_run(exercise, "skipped", f"Not run: {why}")
            return Attempt(loaded, skipped, borrow=borrow, seconds=self._used(worker))
        where = whereabouts(task.submission)
        worker.expect(self.rehearsals.calls(exercise))
        function = Function(exercise.function, worker, lambda response: sentence(response.answer, where))
        outcomes = self.suites.run(exercise, function, self.seed)
        return Attempt(
            loaded, outcomes, tuple(function.responses), function.mutated, borrow, self._used(worker), worker
        )

    def _used(self, worker: Worker) -> float:
        """Seconds of what an exercise may take in all that are gone."""
        return self.course.limits.exercise_seconds - worker.seconds_left

    def close(self) -> None:
        """End all workers that have not ended."""
        for worker in self.workers:
            worker.close()
        self.workers = []

    def worker(self, task: Task, borrow: str = "", used: float = 0.0) -> Worker:
        """A worker for the task, `used` seconds of the exercise's time being gone.

        It goes on in the process of an earlier one where that makes no difference. Those of one exercise, its own try's
        and the one that borrows, are kept beside each other.
        """
        worker = Worker(self.launcher, job(self.course, task, borrow), self.course.limits)
        worker.seconds_left -= used
        left = next((each for each in self.workers if each.may_be_followed(worker.job)), None)
        if left is not None:
            worker.take_over(left)
        if not borrow:
            self.close()
        self.workers.append(worker)
        return worker

    def may_borrow(self, task: Task, own: Attempt) -> bool:
        """Whether a second try with the reference's names could differ: it failed, and it has such a name."""
        peers = [self.course.exercise(name) for name in task.exercise.uses]
        if own.passed or not peers:
            return False
        if own.loaded.ended:
            return any(locate(task.submission, peer.module, peer.function) is not task.module for peer in peers)
        functions = [peer.function for peer in peers]
        if any(uses_any(module.text, functions) for module in task.submission.modules if not module.problem):
            return True
        return not own.timed_out and bool(set(functions) & set(own.loaded.names))


def _without(task: Task, statements: Sequence[int]) -> Task:
    return _with_module(task, without(task.module, statements))


def _said(task: Task, whole: Module, statements: Sequence[int]) -> Task:
    """The task with a note on the statements of the whole notebook that it is without."""
    return _with_module(task, replace(task.module, notes=(*task.module.notes, *cut_down(whole, statements))))


def _with_module(task: Task, module: Module) -> Task:
    return replace(task, submission=task.submission.with_module(module), module=module)
