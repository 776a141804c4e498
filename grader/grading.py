"""The way of the data, on one page: a submission becomes a report.

    submission ── locate ──> module ── worker ──> responses ── suite ──> outcomes ┐
                                                      └─────── diagnosis ─────────┴──> exercise report ──> report

Hidden tests run here; the student's functions run in a worker. An exercise is tried as it is; where that fails and
it calls other exercises, it is tried once more with the reference's functions in their place, and the better try
counts: a broken softmax costs its own marks, never attention's.

The rule for points: a test gives all its points or none, an exercise's score is the sum over its tests, and the
report's the sum over its exercises.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from grader import __version__
from grader.answers import raised, sentence
from grader.course import Course, Exercise, Reveal
from grader.diagnosis import diagnose
from grader.errors import WorkerError
from grader.layout import WORKSPACE as EXERCISES
from grader.report import Certainty, ExerciseReport, Mistake, Outcome, Receipt, Report, Response, Status
from grader.stubs import calls_any, is_stub
from grader.submission import Module, Submission, breaks, line_at, locate, place
from grader.suite_runner import Function, Suites, with_suites
from grader.worker.host import Hello, Job, Loaded, Worker
from grader.worker.launch import Launcher


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of an exercise: what loading gave, the tests' outcomes, and every response on the way."""

    loaded: Loaded
    outcomes: tuple[Outcome, ...]
    responses: tuple[Response, ...] = ()
    mutated: bool = False

    @property
    def score(self) -> float:
        """Points."""
        return sum(outcome.points for outcome in self.outcomes)


def grade(
    submission: Submission, course: Course, seed: int, launcher: Launcher, exercises: Sequence[Exercise] = ()
) -> Report:
    """Grade one submission; all exercises unless some are named. Raises SuiteError, never a student's error."""
    return with_suites(
        course, lambda suites: Grading(course, suites, launcher, seed).report(submission, exercises), exercises
    )


class Grading:
    """Grades any number of submissions with one course, one seed, and suites that were collected once."""

    def __init__(self, course: Course, suites: Suites, launcher: Launcher, seed: int) -> None:
        self.course = course
        self.suites = suites
        self.launcher = launcher
        self.seed = seed
        self.hello = Hello("not needed", platform.python_version(), np.__version__)

    def report(self, submission: Submission, exercises: Sequence[Exercise] = ()) -> Report:
        """The whole report."""
        graded = tuple(self.exercise(submission, exercise) for exercise in exercises or self.course.exercises)
        return Report(
            course=self.course.name,
            title=self.course.title,
            submission=submission.path,
            graded=all(exercise.status != "not-graded" for exercise in graded),
            score=sum(exercise.score for exercise in graded),
            max_score=sum(exercise.max_score for exercise in graded),
            receipt=self._receipt(submission),
            exercises=tuple(reveal(exercise, self.course.reveal) for exercise in graded),
            next_step=next_step(graded, self.course),
        )

    def exercise(self, submission: Submission, exercise: Exercise) -> ExerciseReport:
        """One exercise: find its module, try it, try it again with the reference's names, name what is wrong."""
        module = locate(submission, exercise.module, exercise.function)
        if module is None or module.problem:
            return self._nothing_to_call(submission, exercise, module)
        attempt = own = self._attempt(submission, exercise, module, "")
        if self._may_borrow(submission, exercise, module, own):
            borrowed = self._attempt(submission, exercise, module, "modules" if own.loaded.ended else "names")
            attempt = max(borrowed, own, key=lambda attempt: attempt.score)
        found = self._diagnose(exercise, module, attempt)
        return ExerciseReport(
            name=exercise.name,
            score=attempt.score,
            max_score=exercise.points,
            status=_status(attempt, found),
            tests=tuple(
                replace(test, example=_to_paste(submission, exercise, module, test)) for test in attempt.outcomes
            ),
            notes=(*submission.notes, *module.notes, *_load_notes(submission, own.loaded)),
            mistakes=self._mistakes(exercise, found),
        )

    # ── one try ────────────────────────────────────────────────────────────────────────────────────

    def _attempt(self, submission: Submission, exercise: Exercise, module: Module, borrow: str) -> Attempt:
        job = self._job(submission, exercise, module, borrow)
        with Worker(self.launcher, job, self.course.limits) as worker:
            try:
                loaded = worker.load()
            except WorkerError as error:
                failure = f"The grader failed here, not your code: {error}"
                return Attempt(Loaded(), self.suites.not_run(exercise, "error", failure))
            self.hello = worker.hello
            if loaded.ended or not loaded.callable:
                why = _why_nothing(exercise, module, loaded)
                return Attempt(loaded, self.suites.not_run(exercise, "skipped", f"Not run: {why}"))
            function = Function(exercise.function, worker, lambda response: _sentence(submission, response))
            outcomes = self.suites.run(exercise, function, self.seed)
            return Attempt(loaded, outcomes, tuple(function.responses), function.mutated)

    def _job(self, submission: Submission, exercise: Exercise, module: Module, borrow: str) -> Job:
        sources = tuple(
            {name: getattr(source, name) for name in ("name", "file", "text", "statements", "problem")}
            for source in submission.modules
        )
        used = {name for other in self.course.exercises for name in other.uses}
        peers = []
        for peer in self.course.exercises:
            located = locate(submission, peer.module, peer.function)
            lent = (
                peer is not exercise
                and peer.name in used
                and (located is None or (borrow and peer.name in exercise.uses))
            )
            reference = peer.solution.read_text(encoding="utf-8") if lent else ""
            where = located.name if located else ""
            peers.append({"module": peer.module, "function": peer.function, "located": where, "reference": reference})
        return Job(sources, tuple(peers), module.name, exercise.function, borrow)

    def _may_borrow(self, submission: Submission, exercise: Exercise, module: Module, own: Attempt) -> bool:
        """Whether a second try with the reference's names could differ: it failed, and it has such a name."""
        if not exercise.uses or all(outcome.outcome == "passed" for outcome in own.outcomes):
            return False
        functions = [self.course.exercise(name).function for name in exercise.uses]
        if _timed_out(own) and not calls_any(module.text, functions):
            return False
        if own.loaded.ended:
            peers = [self.course.exercise(name) for name in exercise.uses]
            return any(locate(submission, peer.module, peer.function) is not module for peer in peers)
        return bool(set(functions) & set(own.loaded.names))

    # ── what it means ──────────────────────────────────────────────────────────────────────────────

    def _diagnose(self, exercise: Exercise, module: Module, attempt: Attempt) -> list[tuple[str, Certainty]]:
        if attempt.loaded.ended:
            return [(attempt.loaded.ended.code, "matched")]
        if not attempt.loaded.callable:
            return [] if _errors(attempt) else [(_why_missing(exercise, module, attempt.loaded), "matched")]
        if is_stub(module.text, exercise.function) and not attempt.score:
            return [("not-implemented", "matched")]
        order = list(self.course.words(exercise)) if attempt.score < exercise.points else []
        return diagnose(attempt.outcomes, attempt.responses, attempt.mutated, order)

    def _mistakes(self, exercise: Exercise, found: Sequence[tuple[str, Certainty]]) -> tuple[Mistake, ...]:
        words = self.course.words(exercise) if found else {}
        return tuple(
            Mistake(code, certainty, words[code].title, words[code].explanation)
            if code in words
            else Mistake(code, certainty, code.replace("-", " "), "")
            for code, certainty in found
        )

    def _nothing_to_call(self, submission: Submission, exercise: Exercise, module: Module | None) -> ExerciseReport:
        """No source defines the function, or the one that does is no Python."""
        why = module.problem if module else f"no function `{exercise.function}` was found."
        return ExerciseReport(
            name=exercise.name,
            score=0.0,
            max_score=exercise.points,
            status="failed",
            tests=self.suites.not_run(exercise, "skipped", f"Not run: {why}"),
            notes=submission.notes,
            mistakes=self._mistakes(exercise, [("syntax-error" if module else "missing-function", "matched")]),
        )

    def _receipt(self, submission: Submission) -> Receipt:
        return Receipt(
            sha256=submission.sha256,
            seed=self.seed,
            isolation=self.hello.isolation,
            grader=__version__,
            course_version=self.course.version(),
            python=self.hello.python,
            numpy=self.hello.numpy,
        )


def _to_paste(submission: Submission, exercise: Exercise, module: Module, test: Outcome) -> tuple[str, ...]:
    """Two lines for a Python started in the folder above: the imports, and a call on a small input of the same kind."""
    if not test.example:
        return ()
    package = f"{EXERCISES}." if submission.kind == "folder" else ""
    found = "" if module.statements else f"; from {package}{module.name} import {exercise.function}"
    return f"import numpy as np{found}", test.example[0]


def _sentence(submission: Submission, response: Response) -> str:
    return sentence(response.answer, lambda file, line: _place(submission, file, line))


def _place(submission: Submission, file: str, line: int) -> str:
    module = next((module for module in submission.modules if module.file == file), None)
    return f"{place(module, line)}: {line_at(module, line)}" if module else file


def _load_notes(submission: Submission, loaded: Loaded) -> list[str]:
    notes = []
    for _, problem in loaded.problems:
        text = raised(problem, lambda file, line: _place(submission, file, line)).replace("\n", ": ")
        notes.append(f"{text} (what was defined before is graded)")
    return notes


def _why_nothing(exercise: Exercise, module: Module, loaded: Loaded) -> str:
    if loaded.ended:
        return f"loading {module.file} {loaded.ended.detail}."
    if loaded.problems:
        return f"{module.file} failed before `{exercise.function}` was defined."
    return f"`{exercise.function}` in {module.file} is not a function."


def _why_missing(exercise: Exercise, module: Module, loaded: Loaded) -> str:
    """The code where loading left nothing to call: what kept the function from being defined, where that is known."""
    if breaks(module, exercise.function):
        return "syntax-error"
    kinds = {kind for name, problem in loaded.problems if name == module.name for kind in problem.kinds}
    codes = {"SyntaxError": "syntax-error", "ImportError": "import-error"}
    return next((code for kind, code in codes.items() if kind in kinds), "missing-function")


def _timed_out(attempt: Attempt) -> bool:
    ended = attempt.loaded.ended
    return bool(ended and ended.code == "timeout") or any(outcome.outcome == "skipped" for outcome in attempt.outcomes)


def _errors(attempt: Attempt) -> bool:
    return any(outcome.outcome == "error" for outcome in attempt.outcomes)


def _status(attempt: Attempt, found: Sequence[tuple[str, Certainty]]) -> Status:
    if _errors(attempt):
        return "not-graded"
    if all(outcome.outcome == "passed" for outcome in attempt.outcomes):
        return "passed"
    return "not-implemented" if ("not-implemented", "matched") in found else "failed"


def reveal(exercise: ExerciseReport, allowed: Reveal) -> ExerciseReport:
    """The exercise with what the course keeps to itself taken out."""
    tests = tuple(
        replace(
            test,
            message=test.message if allowed.messages or test.outcome in ("skipped", "error") else "",
            output=test.output if allowed.output else "",
            example=test.example if allowed.examples else (),
        )
        for test in exercise.tests
    )
    return replace(exercise, tests=tests, mistakes=exercise.mistakes if allowed.mistakes else ())


def next_step(exercises: Sequence[ExerciseReport], course: Course) -> str:
    """The one thing to do now."""
    unfinished = [exercise for exercise in exercises if exercise.status != "passed"]
    if not unfinished:
        return course.next
    first = unfinished[0]
    if first.status == "not-graded":
        return "Run `grade verify` to see what is wrong with the grader here, then grade again."
    if first.status == "not-implemented":
        stub = course.exercise(first.name).stub
        return f"Open {stub.parent.name}/{stub.name}, read its docstring, write the function, and run `grade` again."
    return f"Start with {first.name}: `grade hint {first.name}` helps with what is wrong now."
