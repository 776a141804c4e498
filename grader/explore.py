"""Experiments on the student's own functions, which run confined in workers as always; what they show is the course's.

The file that course.yml calls `experiments` imports NumPy, the standard library and `grader.finding` alone. It holds

    EXPERIMENTS   name -> what it shows, in a line; in the order in which they are listed
    <name>        a function for each: given a `finding.Lab`, it returns a `finding.Finding`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from grader.answers import sentence
from grader.course import Course, Exercise
from grader.errors import CourseError, UsageError
from grader.finding import Finding, Measured
from grader.job import Task, job
from grader.notes import nowhere, whereabouts, why_nothing
from grader.report import Ended, Raised, Response
from grader.spelling import did_you_mean
from grader.stubs import uses_any
from grader.submission import Submission, locate
from grader.worker.host import Worker
from grader.worker.launch import Launcher, memory

if TYPE_CHECKING:
    from pathlib import Path

_FAULTS = (OSError, SyntaxError, ImportError, NameError, AttributeError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Experiment:
    """One experiment: its name, what it shows in a line, and what does it."""

    name: str
    about: str
    run: Callable[[Laboratory], Finding]


class NothingToShow(Exception):
    """A function gave what no experiment can go on with: `why` says it to the student, `whose` names the function.

    `grade` is what to type to have it graded.
    """

    def __init__(self, whose: str, why: str, grade: str) -> None:
        super().__init__(why)
        self.whose = whose
        self.why = why
        self.grade = grade


def load_experiments(course: Course) -> tuple[Experiment, ...]:
    """The course's experiments. Raises UsageError where it has none, CourseError naming what is wrong with the file."""
    if course.experiments is None:
        remedy = "--course names another course; its teacher can add some: `experiments: FILE` in course.yml."
        raise UsageError("this course has no experiments", where=str(course.root / "course.yml"), remedy=remedy)
    try:
        module = _module(course.experiments)
        return tuple(Experiment(name, about, getattr(module, name)) for name, about in module.EXPERIMENTS.items())
    except _FAULTS as error:
        problem = f"no experiments: {type(error).__name__}: {error}"
        remedy = "grader/explore.py says what such a file holds."
        raise CourseError([problem], where=str(course.experiments), remedy=remedy) from error


def _module(path: Path) -> Any:
    loader = SourceFileLoader(path.stem, str(path))
    module = module_from_spec(ModuleSpec(path.stem, loader, origin=str(path)))
    loader.exec_module(module)
    return module


def choose(experiments: Sequence[Experiment], name: str) -> Experiment:
    """The experiment of that name. Raises UsageError naming the ones there are."""
    names = [each.name for each in experiments]
    if name in names:
        return experiments[names.index(name)]
    remedy = f"{did_you_mean(name, names)}The experiments are: {', '.join(names)}."
    raise UsageError(f"there is no experiment {name!r}", remedy=remedy)


def conduct(experiment: Experiment, laboratory: Laboratory) -> Finding:
    """Do the experiment, as grading does it: again with what the function calls lent, where its own keep it from right.

    Which shows the function is told in a remark. Raises NothingToShow where neither shows anything.
    """
    own = _tried(experiment, laboratory)
    lent = laboratory.lent()
    if lent is None or (isinstance(own, Finding) and not own.remarks):
        return _shown(own)
    other = _tried(experiment, lent)
    if isinstance(own, Finding) and (not isinstance(other, Finding) or other.remarks):
        return own
    found, remark = _shown(other), laboratory.lending(nothing=not isinstance(own, Finding))
    return replace(found, remarks=(*found.remarks, remark))


def _tried(experiment: Experiment, laboratory: Laboratory) -> Finding | NothingToShow:
    with laboratory:
        try:
            return experiment.run(laboratory)
        except NothingToShow as nothing:
            return nothing


def _shown(found: Finding | NothingToShow) -> Finding:
    if isinstance(found, NothingToShow):
        raise found
    return found


class Laboratory:
    """Where experiments ask the functions of one submission, each in a worker of its own. A `finding.Lab`.

    `owner` and `label` are how sentences and pictures call whose functions they are, `grade_with` is what to type after
    `grade run NAME`. `borrow` says what of the reference stands in for what the functions call, as a job has it.
    """

    def __init__(
        self,
        course: Course,
        submission: Submission,
        launcher: Launcher,
        seed: int,
        *,
        owner: str = "your",
        label: str = "yours",
        grade_with: str = "",
        say: Callable[[str], None] = lambda _: None,
        borrow: str = "",
    ) -> None:
        self.course = course
        self.submission = submission
        self.launcher = launcher
        self.seed = seed
        self.rng = np.random.default_rng(seed)
        self.owner = owner
        self.label = label
        self.grade_with = grade_with
        self.say = say
        self.borrow = borrow
        self.workers: dict[str, Worker] = {}
        self.tasks: list[Task] = []  # what was asked, and what may be lent
        self.ended = False  # whether loading ended a process

    def __enter__(self) -> Laboratory:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers.values():
            worker.close()

    def ask(self, function: str, shape: Sequence[int], *args: Any, **named: Any) -> Any:
        """The array of that shape which the function returns. Raises NothingToShow where it is anything else."""
        answer = self._call(function, args, named).answer
        if not isinstance(answer, np.ndarray):
            self.refuse(function, sentence(answer, whereabouts(self.submission)))
        if answer.shape != tuple(shape):
            asked = f"An array of shape {tuple(shape)} was asked for; one of shape {answer.shape} came back."
            self.refuse(function, asked)
        return answer

    def measure(self, function: str, *args: Any, **named: Any) -> Measured:
        """Ask once, for what it takes. Raises NothingToShow where the function fails in another way than by that."""
        worker = self._worker(function)
        if worker.process is None:
            worker.load()
        process = worker.process
        began, used = time.monotonic(), process.cpu_seconds() if process else 0.0
        before, most_before = memory(process) if process else (0, 0)
        answer = worker.call(args, named).answer
        if isinstance(answer, Raised) and "MemoryError" not in answer.kinds:
            self.refuse(function, sentence(answer, whereabouts(self.submission)))
        if isinstance(answer, (Ended, Raised)):
            return Measured(0.0, 0.0, answer.detail if isinstance(answer, Ended) else "took more memory than it may")
        passed = time.monotonic() - began
        seconds = (process.cpu_seconds() - used if process else 0.0) or passed
        most = memory(process)[1] if process else 0
        return Measured(seconds, float(most - before if most > most_before else 0), passed=passed)

    def lent(self) -> Laboratory | None:
        """One with the reference's functions in place of those that were called; None where it could not differ."""
        if self.borrow or not any(self._called(task) for task in self.tasks):
            return None
        return Laboratory(
            self.course,
            self.submission,
            self.launcher,
            self.seed,
            owner=self.owner,
            label=self.label,
            grade_with=self.grade_with,
            say=self.say,
            borrow="modules" if self.ended else "names",
        )

    def lending(self, *, nothing: bool) -> str:
        """That something was lent, in a remark, and where it is to be mended."""
        called = [name for task in self.tasks for name in self._called(task)]
        right = f"a right {called[0]} in place of yours" if len(called) == 1 else "right ones in place of yours"
        why = "there is nothing to show" if nothing else "it comes out otherwise"
        grade = " and ".join(f"`{self.grade(name)}`" for name in called)
        return f"With {self.owner} {' and '.join(called)} {why}: this is shown with {right}. {grade} says what to do."

    def _called(self, task: Task) -> list[str]:
        """Other exercises' functions that the submission defines and uses. What it lacks is lent from the first."""
        peers = [self.course.exercise(name) for name in task.exercise.uses]
        return [
            peer.function
            for peer in peers
            if locate(self.submission, peer.module, peer.function)
            and any(uses_any(module.text, [peer.function]) for module in self.submission.modules if not module.problem)
        ]

    def refuse(self, function: str, why: str) -> NoReturn:
        """End the experiment with the reason. Raises NothingToShow."""
        raise NothingToShow(self.whose(function), why, self.grade(function))

    def whose(self, function: str) -> str:
        """How a sentence calls the function."""
        return f"{self.owner} {function}"

    def grade(self, function: str) -> str:
        """What to type to have the function graded."""
        return f"grade run {self._exercise(function).name}{self.grade_with}"

    def _call(self, function: str, args: Sequence[Any], named: Mapping[str, Any]) -> Response:
        return self._worker(function).call(args, named)

    def _worker(self, function: str) -> Worker:
        """The worker that has the function loaded. Raises NothingToShow where there is nothing to call."""
        if function not in self.workers:
            self.workers[function] = self._loaded(self._exercise(function))
        return self.workers[function]

    def _loaded(self, exercise: Exercise) -> Worker:
        module = locate(self.submission, exercise.module, exercise.function)
        if module is None or module.problem:
            self.refuse(
                exercise.function, f"Not run: {module.problem if module else nowhere(self.submission, exercise)}"
            )
        task = Task(self.submission, exercise, module)
        self.tasks.append(task)
        worker = Worker(self.launcher, job(self.course, task, self.borrow), self.course.limits)
        try:
            loaded = worker.load()
            self.ended = loaded.ended is not None
            if loaded.ended or not loaded.callable:
                self.refuse(exercise.function, f"Not run: {why_nothing(exercise, module, loaded)}")
        except BaseException:
            worker.close()
            raise
        return worker

    def _exercise(self, function: str) -> Exercise:
        return next(each for each in self.course.exercises if each.function == function)
