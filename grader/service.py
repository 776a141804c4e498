"""The grader as a program of its own: no kernel, no batch, and nothing that runs in one, shares its process.

The first line on standard input are the terms (`desk.py`, the other side). Then comes one request a line, and one
answer a line goes to standard output, all of it JSON:

    {"ask": "grade", "file": "work.ipynb", "notebook": {…}, "exercises": ["softmax"], "hints": false}
        -> {"graded": true, "exercises": {"softmax": {"score": 14.0, "max_score": 30.0, "html": "…", "text": "…"}}}
    {"ask": "hint", and the same        -> {"text": "…"}
    {"ask": "record", "submission": {…} -> {"record": {…}}   a report, of a submission that was read
    {"ask": "version"}                  -> {"version": {…}}  what it grades with
    no exercises are all of the course's; of hints the first unsolved one's
    whatever is at fault                -> {"error": "…"}
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from grader.desk import Terms
from grader.errors import GraderError, UsageError
from grader.worker.launch import Launcher, make_launcher

if TYPE_CHECKING:
    from grader.course import Exercise
    from grader.grading import Grading
    from grader.report import Report
    from grader.submission import Submission
    from grader.suite_runner import Suites


MOST_UNCOLLECTED = 100_000  # objects: some 10 MB


def main() -> None:
    """Answer requests until there are no more."""
    answers = _take_standard_output()
    launcher = make_launcher()  # first: the warm parent starts while the rest is being imported
    signal.signal(signal.SIGTERM, lambda *_: _stop(launcher))
    try:
        _serve(launcher, answers, Terms(**json.loads(sys.stdin.buffer.readline() or "{}")))
    except GraderError as error:  # no course, or no suites: whatever is asked, this is the answer
        fault = {"error": str(error)}
        _each_request(answers, lambda _: fault)
    finally:
        launcher.close()


def _stop(launcher: Launcher) -> NoReturn:
    """Told to end: clear away, and be gone before any hidden test could take that for its own failure."""
    launcher.close()
    os._exit(0)


def _take_standard_output() -> BinaryIO:
    """Standard output for ourselves alone: nothing that a suite or a library prints may look like an answer."""
    answers = os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    return answers


def _serve(launcher: Launcher, answers: BinaryIO, terms: Terms) -> None:
    from grader.course import default_root, load_course
    from grader.grading import Grading
    from grader.isolation import require
    from grader.seed import secret_seed
    from grader.suite_runner import with_suites

    course = load_course(Path(terms.course) if terms.course else default_root())
    if terms.counts:
        require(course, launcher)
    seed = secret_seed(Path(terms.seed_file)) if terms.seed_file else terms.seed

    def serve(suites: Suites) -> None:
        grading = Grading(course, suites, launcher, seed, secret=terms.secret, maps=terms.maps)
        gc.freeze()  # what is here by now stays
        gc.set_threshold(MOST_UNCOLLECTED)  # the rest is looked through once in many submissions, not twice in each
        _each_request(answers, Service(grading, cells=terms.cells).answer)

    with_suites(course, serve)


def _each_request(answers: BinaryIO, answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    for line in sys.stdin.buffer:
        try:
            reply = answer(json.loads(line))
        except GraderError as error:
            reply = {"error": str(error)}
        except Exception as error:  # noqa: BLE001 - a fault of ours is an answer too, never a silence
            reply = {"error": f"the grader itself failed: {type(error).__name__}: {error}"}
        answers.write(json.dumps(reply).encode() + b"\n")
        answers.flush()


class Service:
    """Answers requests with one course, its suites collected once, a warm launcher, and the hints given so far."""

    def __init__(self, grading: Grading, *, cells: bool = False) -> None:
        from grader.state import State

        self.grading = grading
        self.cells = cells
        self.course = grading.course
        self.state = State()

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """One answer. Raises UsageError for an exercise that is none."""
        ways: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
            "grade": self._grade,
            "hint": self._hint,
            "record": self._record,
            "version": self._version,
        }
        return ways[request["ask"]](request)

    def _grade(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """What cells show, by exercise."""
        from grader import quick_check

        submission, exercises = self._asked(request)
        reports = {each.name: self.grading.report(submission, [each]) for each in exercises}
        parts = {name: self._part(report, with_hints=request["hints"]) for name, report in reports.items()}
        if quick_check.NAME in request["exercises"]:
            parts[quick_check.NAME] = quick_check.answered(self.course, submission)
        return {"graded": all(report.graded for report in reports.values()), "exercises": parts}

    def _asked(self, request: Mapping[str, Any]) -> tuple[Submission, Sequence[Exercise]]:
        """A request's notebook, and its exercises."""
        from grader import quick_check
        from grader.submission import read_cells

        submission = read_cells(request["file"], json.dumps(request["notebook"]).encode())
        names = [name for name in request["exercises"] if name != quick_check.NAME]
        exercises = [self.course.exercise(name) for name in names] if request["exercises"] else self.course.exercises
        return submission, exercises

    def _record(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """A whole report, and what tells whether two submissions are alike; where asked for, what cells show."""
        from grader.likeness import likeness

        submission = _unpacked(request["submission"])
        report = self.grading.report(submission)
        record = report.to_json() | {"likeness": likeness(submission)}
        return {"record": record | ({"cells": self._cells(submission, report)} if self.cells else {})}

    def _cells(self, submission: Submission, report: Report) -> dict[str, Any]:
        """What cells show of each exercise, and of the Quick Check where the lesson has one."""
        from grader import quick_check

        named = replace(submission, path=next((module.file for module in submission.modules), ""))
        alone = {each.name: self.grading.assemble(named, [each]) for each in report.exercises}
        parts = {name: self._part(single, with_hints=True) for name, single in alone.items()}
        with suppress(UsageError):
            parts[quick_check.NAME] = quick_check.answered(self.course, submission)
        return parts

    def _version(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """What of a receipt is the same for every submission."""
        from grader import __version__

        return {"version": {"grader": __version__, "course_version": self.grading.version}}

    def _part(self, report: Report, *, with_hints: bool) -> dict[str, Any]:
        """What a cell shows of one exercise."""
        from grader.render import html, plain

        return {
            "score": report.score,
            "max_score": report.max_score,
            "html": html.fragment(report, hints=self._hints(report) if with_hints else {}),
            "text": plain.render(report, width=80),
        }

    def _hints(self, report: Report) -> dict[str, tuple[str, ...]]:
        """The course's hints for the mistakes named, by code; never what is right on an example."""
        (exercise,) = report.exercises
        words = self.course.words(self.course.exercise(exercise.name))
        return {each.code: words[each.code].hints for each in exercise.mistakes if each.code in words}

    def _hint(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The next hint for the exercise named; for the first unsolved one where none is."""
        from grader import quick_check
        from grader.evidence import expected
        from grader.hints import next_hint

        names: list[str] = request["exercises"]
        if names == [quick_check.NAME]:
            return {"text": quick_check.HINTLESS}
        report = self.grading.report(*self._asked(request))
        return {"text": next_hint(report, self.course, names[0] if names else None, self.state, expected(self.course))}


def _unpacked(data: Mapping[str, Any]) -> Submission:
    """A submission that was packed as JSON, where a tuple is a list."""
    from grader.submission import Module, Submission

    modules = tuple(Module(**_with_tuples(module)) for module in data["modules"])
    return Submission(**{**_with_tuples(data), "modules": modules})


def _with_tuples(data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: tuple(tuple(each) if isinstance(each, list) else each for each in value) if type(value) is list else value
        for name, value in data.items()
    }
