"""Grading again and again: suites collected once, a warm launcher, and a run that is out of date ended at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias

from grader.errors import GraderError, WorkerError

if TYPE_CHECKING:
    import socket

    from grader.course import Course, Exercise
    from grader.grading import Grading
    from grader.report import Report
    from grader.submission import Submission
    from grader.suite_runner import Suites
    from grader.worker.launch import Launcher, Process

CLOSE_SECONDS = 5.0  # for a run to notice that it is over


@dataclass(frozen=True, slots=True)
class Run:
    """One run asked for. Once it is `over` nobody waits for it any more."""

    submission: Submission
    over: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class Graded:
    """A run that came to its end: the report, and the seconds it took by the clock.

    By the time this is read the run may be `over`, and the report out of date.
    """

    run: Run
    report: Report
    seconds: float


@dataclass(frozen=True, slots=True)
class Broken:
    """The grader can go on no longer, and why."""

    error: BaseException


Result: TypeAlias = Graded | Broken


class Watch:
    """Grades in a thread of its own, one submission at a time: the last one asked for. `tell` gets every result.

    `exercises` are those to grade, all where there are none.
    """

    def __init__(
        self,
        course: Course,
        launcher: Launcher,
        exercises: Sequence[Exercise],
        tell: Callable[[Result], None],
        *,
        seed: int = 0,
    ) -> None:
        self.course = course
        self.launcher = _Stoppable(launcher)
        self.exercises = exercises or course.exercises
        self.tell = tell
        self.seed = seed
        self.run: Run | None = None
        self.runs: SimpleQueue[Run | None] = SimpleQueue()
        self.thread = threading.Thread(target=self._work, name="grading", daemon=True)
        self.thread.start()

    def grade(self, submission: Submission) -> None:
        """Begin a run; one that is under way is ended."""
        self._end()
        self.run = Run(submission)
        self.runs.put(self.run)

    def close(self) -> None:
        """End what is under way, and the thread."""
        self._end()
        self.runs.put(None)
        self.thread.join(CLOSE_SECONDS)

    def _end(self) -> None:
        if self.run is not None:
            self.run.over.set()

    def _work(self) -> None:
        from grader.suite_runner import with_suites

        try:
            with_suites(self.course, self._serve, self.exercises)
        except BaseException as error:  # noqa: BLE001 - told to whoever waits, who knows what to do
            self.tell(Broken(error))

    def _serve(self, suites: Suites) -> None:
        from grader.grading import Grading

        grading = Grading(self.course, suites, self.launcher, self.seed)
        while (run := self.runs.get()) is not None:
            began = time.monotonic()
            report = self._report(grading, run)
            if report is not None and not run.over.is_set():
                self.tell(Graded(run, report, time.monotonic() - began))

    def _report(self, grading: Grading, run: Run) -> Report | None:
        """The report; None where the run is over before it is made."""
        self.launcher.over = run.over
        parts = []
        try:
            for part in grading.each(run.submission, self.exercises):
                parts.append(part)
                if run.over.is_set():
                    return None
        except GraderError:
            if not run.over.is_set():
                raise
            return None
        return grading.assemble(run.submission, parts)


# ── ending a run ───────────────────────────────────────────────────────────────────────────────────


class _Over(WorkerError):
    """Nobody waits for the answer any more. To the grader it is as if no worker could be had."""


class _Stoppable:
    """A launcher whose workers end their work as soon as the run they serve is `over`."""

    def __init__(self, launcher: Launcher) -> None:
        self.launcher = launcher
        self.scratch = launcher.scratch
        self.over = threading.Event()

    def launch(self, bounds: dict[str, Any]) -> Process:
        """Start one worker. Raises WorkerError."""
        if self.over.is_set():
            raise _Over("this run is over")
        return _Ending(self.launcher.launch(bounds), self.over)

    def close(self) -> None:
        """Let go of whatever stands ready."""
        self.launcher.close()


class _Ending:
    """A worker's process. Whoever waits for it looks at its clock many times a second, and learns there of the end."""

    def __init__(self, process: Process, over: threading.Event) -> None:
        self.process = process
        self.channel: socket.socket = process.channel
        self.over = over

    def cpu_seconds(self) -> float:
        """Processor time used so far. Raises WorkerError once the run is over."""
        if self.over.is_set():
            raise _Over("this run is over")
        return self.process.cpu_seconds()

    def threads(self) -> int:
        """How many there are now."""
        return self.process.threads()

    def end(self, patience: float = 0.0) -> str:
        """Kill the process and all it started."""
        return self.process.end(patience)
