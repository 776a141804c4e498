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

import ast
import platform
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from keyword import iskeyword

import numpy as np

from grader import __version__
from grader.answers import raised, sentence
from grader.course import Course, Exercise, Reveal
from grader.definitions import assigned_names, defines_itself
from grader.diagnosis import Fit, diagnose, fit, misshapes
from grader.errors import WorkerError
from grader.evidence import find_evidence
from grader.layout import WORKSPACE as EXERCISES
from grader.model import Model, load_model
from grader.report import (
    Certainty,
    Ended,
    ExerciseReport,
    Items,
    Mistake,
    Outcome,
    Receipt,
    Report,
    Response,
    Status,
    WhatIf,
)
from grader.stubs import calls_any, is_stub
from grader.submission import Module, Submission, breaks, line_at, locate, place
from grader.suite_runner import Function, Suites, with_suites
from grader.what_if import Repairs
from grader.worker.host import Hello, Job, Loaded, Worker
from grader.worker.launch import Launcher

UNSHOWN = {"mutates-input", "timeout", "crash", "out-of-memory"}  # an answer shows nothing of these, or costs too much


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of an exercise: what loading gave, the tests' outcomes, and every response on the way."""

    loaded: Loaded
    outcomes: tuple[Outcome, ...]
    responses: tuple[Response, ...] = ()
    mutated: bool = False
    borrow: str = ""

    @property
    def score(self) -> float:
        """Points."""
        return sum(outcome.points for outcome in self.outcomes)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The mistakes named, and what the score would be with each of them repaired."""

    mistakes: tuple[Mistake, ...] = ()
    what_if: tuple[WhatIf, ...] = ()


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
        self.repairs = Repairs(suites, seed)
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
            next_step=next_step(graded, self.course, submission),
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
        imports = _imports(submission, exercise, module)
        diagnosis = self._diagnose(submission, exercise, module, attempt, imports)
        return ExerciseReport(
            name=exercise.name,
            score=attempt.score,
            max_score=exercise.points,
            status=_status(attempt, diagnosis),
            tests=tuple(_with_imports(test, imports) for test in attempt.outcomes),
            notes=(
                *submission.notes,
                *module.notes,
                *_load_notes(submission, own.loaded),
                *self._lent(exercise, own, attempt),
                *_elsewhere(submission, exercise, module, attempt),
            ),
            mistakes=diagnosis.mistakes,
            what_if=diagnosis.what_if,
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
            return Attempt(loaded, outcomes, tuple(function.responses), function.mutated, borrow)

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

    def _lent(self, exercise: Exercise, own: Attempt, attempt: Attempt) -> list[str]:
        if attempt.score <= own.score:
            return []
        functions = [self.course.exercise(name).function for name in exercise.uses]
        names = " and ".join(name for name in functions if name in own.loaded.names or own.loaded.ended)
        return [
            f"With your {names} this is {own.score:g} points; {exercise.name} was graded with a right one in its place."
        ]

    # ── what it means ──────────────────────────────────────────────────────────────────────────────

    def _diagnose(
        self, submission: Submission, exercise: Exercise, module: Module, attempt: Attempt, imports: str
    ) -> Diagnosis:
        """Name what is wrong: what loading or the tests observed, or what a model of being wrong reproduces."""
        if attempt.loaded.ended:
            return self._observed(exercise, attempt.loaded.ended.code)
        if not attempt.loaded.callable:
            return (
                Diagnosis()
                if _errors(attempt)
                else self._observed(exercise, _why_missing(exercise, module, attempt.loaded))
            )
        if is_stub(module.text, exercise.function) and not attempt.score:
            return self._observed(exercise, "not-implemented")
        if all(outcome.outcome == "passed" for outcome in attempt.outcomes):
            return Diagnosis()
        job = self._job(submission, exercise, module, attempt.borrow)
        with Worker(self.launcher, job, self.course.limits) as worker:
            return self._explain(exercise, attempt, worker, imports)

    def _explain(self, exercise: Exercise, attempt: Attempt, worker: Worker, imports: str) -> Diagnosis:
        """Put the model's probes to the function, find what reproduces its answers, and show it on a small input."""
        order = list(self.course.words(exercise))
        model = load_model(exercise.model, exercise.function) if exercise.model else None
        probed: tuple[Response, ...] = ()
        fitted: Fit | None = None
        if model and not _timed_out(attempt) and _answered(attempt):
            probed = self._probe(model, worker)
            fitted = fit(model, self.seed, probed, order)
        explained = fitted.codes if fitted else None
        misshapen = model is not None and fitted is None and misshapes(model, self.seed, probed)
        found = diagnose(
            attempt.outcomes,
            attempt.responses,
            attempt.mutated,
            order,
            explained,
            fitted.reproduced if fitted else probed,
            misshapen=misshapen,
        )
        mistakes = self._mistakes(exercise, found)
        if model and self.course.reveal.evidence:
            mistakes = tuple(self._with_evidence(each, exercise, model, fitted, worker, imports) for each in mistakes)
        if model is None or fitted is None or not explained or fitted.reproduced != probed:
            return Diagnosis(mistakes)  # what the model cannot do as the student does, no repair of it can tell
        return Diagnosis(mistakes, self.repairs.of(exercise, model, fitted, [code for code, _ in found]))

    def _probe(self, model: Model, worker: Worker) -> tuple[Response, ...]:
        """The answers to the model's probes, up to one that ended its worker: a probe that hangs is not put again.

        None where no worker could be had: marks are given by then, and stay.
        """
        responses = []
        try:
            for args, named in model.probes(self.seed):
                responses.append(worker.call(args, named))
                if isinstance(responses[-1].answer, Ended):
                    break
        except WorkerError:
            return ()
        return tuple(responses)

    def _with_evidence(
        self, mistake: Mistake, exercise: Exercise, model: Model, fitted: Fit | None, worker: Worker, imports: str
    ) -> Mistake:
        if mistake.code in UNSHOWN:
            return mistake
        modelled = fitted if fitted and mistake.code in fitted.codes else None
        return replace(
            mistake, evidence=find_evidence(model, exercise.function, imports, worker.call, modelled, mistake.code)
        )

    def _observed(self, exercise: Exercise, code: str) -> Diagnosis:
        return Diagnosis(self._mistakes(exercise, [(code, "matched")]))

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
            mistakes=self._observed(exercise, "syntax-error" if module else "missing-function").mistakes,
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


def _imports(submission: Submission, exercise: Exercise, module: Module) -> str:
    """What to paste first, into a Python started in the folder above, to call the student's function by hand."""
    if module.statements:  # in a notebook it is there already
        return "import numpy as np"
    name = f"{EXERCISES}.{module.name}" if submission.workspace else module.name
    if all(part.isidentifier() and not iskeyword(part) for part in name.split(".")):
        return f"import numpy as np; from {name} import {exercise.function}"
    return f"import numpy as np, runpy; {exercise.function} = runpy.run_path({module.file!r})[{exercise.function!r}]"


def _with_imports(test: Outcome, imports: str) -> Outcome:
    return replace(test, example=(imports, *test.example) if test.example else ())


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


def _elsewhere(submission: Submission, exercise: Exercise, module: Module, attempt: Attempt) -> list[str]:
    """Work that was found but not graded, where what was graded got nothing or was one of several."""
    notes = []
    if not attempt.score:
        notes += [
            f"{name} beside {EXERCISES}/ defines {exercise.function} as well, but only {EXERCISES}/ is graded here: "
            f"copy it there, or run `grade run --submission {shlex.quote(name)}`."
            for name, text in submission.beside
            if re.search(rf"\bdef\s+{exercise.function}\b", text)
        ]
    others = [
        each.file for each in submission.modules if each is not module and defines_itself(each, exercise.function)
    ]
    if others and module.name != exercise.module:
        notes.append(f"{exercise.function} is also defined in {', '.join(others[:5])}; {module.file} was graded.")
    return notes


def _why_nothing(exercise: Exercise, module: Module, loaded: Loaded) -> str:
    if loaded.ended:
        return f"loading {module.file} {loaded.ended.detail}."
    if not defines_itself(module, exercise.function):
        return f"there is no `{exercise.function}` in {module.file}{_nearest(exercise, module)}."
    if loaded.problems:
        return f"{module.file} failed before `{exercise.function}` was defined."
    return f"`{exercise.function}` in {module.file} is not a function."


def _nearest(exercise: Exercise, module: Module) -> str:
    from difflib import get_close_matches

    defined = sorted(assigned_names(ast.parse(module.text).body))
    close = get_close_matches(exercise.function, defined, 1) or [
        name for name in defined if name.lower() == exercise.function.lower()
    ]
    return f"; there is `{close[0]}`" if close else ""


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


def _answered(attempt: Attempt) -> bool:
    """Whether there is anything to fit a model to: an array that came back, by itself or in a tuple."""
    return any(isinstance(response.answer, (np.ndarray, Items)) for response in attempt.responses)


def _errors(attempt: Attempt) -> bool:
    return any(outcome.outcome == "error" for outcome in attempt.outcomes)


def _status(attempt: Attempt, diagnosis: Diagnosis) -> Status:
    if _errors(attempt):
        return "not-graded"
    if all(outcome.outcome == "passed" for outcome in attempt.outcomes):
        return "passed"
    return "not-implemented" if [each.code for each in diagnosis.mistakes] == ["not-implemented"] else "failed"


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
    if not allowed.mistakes:
        return replace(exercise, tests=tests, mistakes=(), what_if=())
    return replace(exercise, tests=tests)


def next_step(exercises: Sequence[ExerciseReport], course: Course, submission: Submission) -> str:
    """The one thing to do now."""
    unfinished = [exercise for exercise in exercises if exercise.status != "passed"]
    if not unfinished:
        return course.next
    first = unfinished[0]
    if first.status == "not-graded":
        return "Run `grade verify` to see what is wrong with the grader here, then grade again."
    if first.status == "not-implemented":
        stub = course.exercise(first.name).stub
        return f"Open {EXERCISES}/{stub.name}, read its docstring, write the function, and run `grade` again."
    hint = f"grade hint {first.name}" + (
        "" if submission.workspace else f" --submission {shlex.quote(submission.path)}"
    )
    gain = best_repair(first)
    if gain is None or gain.score <= first.score:
        return f"Start with {first.name}: `{hint}` helps with what is wrong now."
    worth = f"`{gain.repaired[0]}` is worth {gain.score - first.score:g} points"
    return f"Start with {first.name}: repairing {worth}. `{hint}` helps."


def best_repair(exercise: ExerciseReport) -> WhatIf | None:
    """The repair that gives most, the first of them where several do; None where none is known."""
    return max(exercise.what_if, key=lambda each: each.score, default=None)
