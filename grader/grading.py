"""The way of the data, on one page: a submission becomes a report.

    submission ── locate ──> module ── worker ──> responses ── suite ──> outcomes ┐
                                                      └─────── naming ────────────┴──> exercise report ──> report

Hidden tests run here; the student's functions run in a worker. An exercise is tried as it is; where that fails and
it calls other exercises, it is tried once more with the reference's functions in their place, and the better try
counts: a broken softmax costs its own marks, never attention's.

The rule for points: a test gives all its points or none, an exercise's score is the sum over its tests, and the
report's the sum over its exercises.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace

from grader import __version__, notes
from grader.attempt import Attempt, Bench
from grader.course import Course, Exercise, Reveal
from grader.job import Task
from grader.layout import WORKSPACE as EXERCISES
from grader.naming import Diagnosis, Naming
from grader.report import ExerciseReport, Outcome, Receipt, Report, Status, total
from grader.seed import digest
from grader.submission import Module, Submission, locate
from grader.suite_runner import Suites, with_suites
from grader.worker.launch import Launcher
from grader.worker.received import Hello


def grade(
    submission: Submission,
    course: Course,
    seed: int,
    launcher: Launcher,
    exercises: Sequence[Exercise] = (),
    *,
    maps: bool = False,
) -> Report:
    """Grade one submission; all exercises unless some are named. Raises SuiteError, never a student's error."""
    return with_suites(
        course,
        lambda suites: Grading(course, suites, launcher, seed, maps=maps).report(submission, exercises),
        exercises,
    )


def not_graded(
    path: str, course: Course, seed: int, launcher: Launcher, why: str, exercises: Sequence[Exercise] = ()
) -> Report:
    """The report where the machine kept a submission from being read: every test is an error of ours."""

    def report(suites: Suites) -> Report:
        grading = Grading(course, suites, launcher, seed)
        tests = {each: suites.not_run(each, "error", why) for each in exercises or course.exercises}
        parts = tuple(ExerciseReport(each.name, 0.0, each.points, "not-graded", tests[each]) for each in tests)
        return grading.assemble(Submission(path, "folder", (), ""), parts)

    return with_suites(course, report, exercises)


class Grading:
    """Grades any number of submissions with one course, one seed, and suites that were collected once.

    Of a `secret` seed reports show the digest alone. `maps` adds maps to them.
    """

    def __init__(
        self,
        course: Course,
        suites: Suites,
        launcher: Launcher,
        seed: int,
        *,
        secret: bool = False,
        maps: bool = False,
    ) -> None:
        self.course = course
        self.version = course.version()
        self.secret = secret
        self.bench = Bench(course, suites, launcher, seed, maps=maps)
        self.naming = Naming(self.bench)
        self.hellos: dict[str, Hello] = {}  # by exercise, of the submission that is being graded

    def report(self, submission: Submission, exercises: Sequence[Exercise] = ()) -> Report:
        """The whole report."""
        return self.assemble(submission, tuple(self.each(submission, exercises)))

    def each(self, submission: Submission, exercises: Sequence[Exercise] = ()) -> Iterator[ExerciseReport]:
        """One exercise after the other, in workers that are this submission's own; all unless some are named."""
        self.hellos.clear()
        with closing(self.bench):
            for exercise in exercises or self.course.exercises:
                yield self._exercise(submission, exercise)

    def assemble(self, submission: Submission, graded: Sequence[ExerciseReport]) -> Report:
        """The report made of its exercises."""
        return Report(
            course=self.course.name,
            title=self.course.title,
            submission=submission.path,
            graded=all(exercise.status != "not-graded" for exercise in graded),
            score=total(exercise.score for exercise in graded),
            max_score=total(exercise.max_score for exercise in graded),
            receipt=self._receipt(submission, [exercise.name for exercise in graded]),
            exercises=tuple(reveal(exercise, self.course.reveal) for exercise in graded),
            next_step=next_step(graded, self.course, submission),
        )

    def _exercise(self, submission: Submission, exercise: Exercise) -> ExerciseReport:
        """One exercise, and for the receipt what its workers said of themselves."""
        self.bench.hello = self.bench.no_worker
        module = locate(submission, exercise.module, exercise.function)
        report = (
            self._nothing_to_call(submission, exercise, module)
            if module is None or module.problem
            else self._tried(submission, exercise, module)
        )
        self.hellos[exercise.name] = self.bench.hello
        return report

    def _tried(self, submission: Submission, exercise: Exercise, module: Module) -> ExerciseReport:
        """Try the exercise, try it again with the reference's names where that may help, name what is wrong."""
        task, own = self.bench.first_try(Task(submission, exercise, module))
        attempt = own
        if self.bench.may_borrow(task, own):
            whole = own.loaded.ended or own.timed_out  # what never ends, or ends its process, is not run again
            borrowed = self.bench.attempt(task, "modules" if whole else "names", own.seconds)
            better = max(borrowed, own, key=lambda attempt: attempt.score)
            attempt = own if own.answers_as(better) else better
        diagnosis = self.naming.diagnosis(task, attempt)
        imports = notes.imports(submission, exercise, module)
        return ExerciseReport(
            name=exercise.name,
            score=attempt.score,
            max_score=exercise.points,
            status=_status(attempt, diagnosis),
            tests=tuple(_as_read(test, imports, task.module) for test in attempt.outcomes),
            notes=(
                *submission.notes,
                *task.module.notes,
                *notes.failures(submission, own.loaded),
                *notes.tried(own.tried),
                *notes.lent(self.course, exercise, module, own.score, attempt.score),
                *notes.elsewhere(submission, exercise, module, attempt.score),
            ),
            mistakes=diagnosis.mistakes,
            what_if=diagnosis.what_if,
            maps=diagnosis.maps,
            probe_digest=diagnosis.probe_digest,
        )

    def _nothing_to_call(self, submission: Submission, exercise: Exercise, module: Module | None) -> ExerciseReport:
        """No source defines the function, or the one that does is no Python."""
        why = module.problem if module else notes.nowhere(submission, exercise)
        return ExerciseReport(
            name=exercise.name,
            score=0.0,
            max_score=exercise.points,
            status="failed",
            tests=self.bench.suites.not_run(exercise, "skipped", f"Not run: {why}"),
            notes=submission.notes,
            mistakes=self.naming.observed(exercise, "syntax-error" if module else "missing-function").mistakes,
        )

    def _receipt(self, submission: Submission, names: Sequence[str]) -> Receipt:
        hellos = [self.hellos[name] for name in names if name in self.hellos]
        hello = next((each for each in hellos if each is not self.bench.no_worker), self.bench.no_worker)
        return Receipt(
            sha256=submission.sha256,
            seed=digest(self.bench.seed) if self.secret else self.bench.seed,
            secret=self.secret,
            isolation=hello.isolation,
            grader=__version__,
            course_version=self.version,
            python=hello.python,
            numpy=hello.numpy,
        )


def _as_read(test: Outcome, imports: str, module: Module) -> Outcome:
    """The test's outcome as a learner reads it: an example that can be pasted, lines where the code has them."""
    example = (imports, *test.example) if test.example else ()
    return replace(test, example=example, output=notes.in_cells(test.output, module))


def _status(attempt: Attempt, diagnosis: Diagnosis) -> Status:
    if attempt.broke_the_grader:
        return "not-graded"
    if attempt.passed:
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
        return replace(exercise, tests=tests, mistakes=(), what_if=(), maps=())
    return replace(exercise, tests=tests)


def next_step(exercises: Sequence[ExerciseReport], course: Course, submission: Submission) -> str:
    """The one thing to do now."""
    unfinished = [exercise for exercise in exercises if exercise.status != "passed"]
    if not unfinished:
        others = [each.name for each in course.exercises if each.name not in {done.name for done in exercises}]
        return f"Every check passed here. The other exercises: {', '.join(others)}." if others else course.next
    first = unfinished[0]
    if first.status == "not-graded":
        return "Run `grade verify` to see what is wrong with the grader here, then grade again."
    if first.status == "not-implemented":
        return _write(course.exercise(first.name), submission)
    hint = _hint(first.name, submission)
    if not course.reveal.mistakes:
        return f"Start with {first.name}: read why its checks failed."
    dearest = next(iter(first.dearest_first), None)
    score = first.repaired(dearest.code) if dearest else None
    if dearest is None or score is None or score <= first.score:
        return f"Start with {first.name}: `{hint}` helps with what is wrong now."
    worth = f'"{dearest.title.rstrip(".")}" costs {score - first.score:g} points'
    return f"Start with {first.name}: {worth}. `{hint}` helps."


def _write(exercise: Exercise, submission: Submission) -> str:
    if submission.kind == "cells":
        return f"Read the docstring of {exercise.function}, write the function, and run its cell and this one again."
    here = f"{EXERCISES}/{exercise.stub.name}" if submission.workspace else exercise.stub.name
    where = here if submission.workspace else submission.path or here
    return f"Open {where}, read the docstring of {exercise.name}, write the function, and run `grade` again."


def _hint(name: str, submission: Submission) -> str:
    """What to type for the next hint."""
    if submission.kind == "cells":
        return f'grader.hint("{name}")'
    elsewhere = submission.path and not submission.workspace
    return f"grade hint {name}" + (f" --submission {shlex.quote(submission.path)}" if elsewhere else "")
