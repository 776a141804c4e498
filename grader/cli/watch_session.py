"""A sitting of `grade watch`: what a save, a key or a report leads to, and what is to be seen then."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeAlias

import click

from grader.changes import Change, changes
from grader.cli.drawing import Drawing, Drawn, Sheet
from grader.cli.keyboard import QUIT, Terminal, asked_to_end
from grader.cli.screen import prose, warn, width
from grader.cli.work import remember
from grader.errors import GraderError, SubmissionError, UsageError
from grader.isolation import shortfall
from grader.layout import WORKSPACE
from grader.render.live import View, told_in_lines
from grader.saves import LOOK_SECONDS, Saves
from grader.submission import Submission, read_submission
from grader.watch import Broken, Graded, Result, Watch

if TYPE_CHECKING:
    from grader.course import Course, Exercise
    from grader.report import Report
    from grader.worker.launch import Launcher

GONE_SECONDS = 3.0  # in which a workspace that is gone may come back: another branch was checked out, say
EVENTS = "by file events."
LOOKING = "by looking four times a second: no file events come from here."
POLLING = "by looking four times a second."
WAY = "Press h for the next one."
ALL_SOLVED = "Nothing is left to solve here: there is no next exercise."
CROWDED = f"{WORKSPACE}/ holds too much to look at: what was graded comes first."


@dataclass(frozen=True, slots=True)
class Asked:
    """A signal that asks to come to an end."""

    number: int


Message: TypeAlias = "Result | Drawn | Asked | str | None"  # what came of it, a key, or nothing but a reason to look


class Session:
    """Watches one workspace until it is told to quit."""

    def __init__(
        self, workspace: Path, course: Course, launcher: Launcher, exercises: Sequence[Exercise], *, poll: bool = False
    ) -> None:
        self.workspace = workspace
        self.course = course
        self.poll = poll
        self.messages: SimpleQueue[Message] = SimpleQueue()
        self.watch = Watch(course, launcher, exercises, self.messages.put)
        self.saves = Saves(workspace / WORKSPACE, lambda: self.messages.put(None), poll=poll)
        self.submission: Submission | None = None
        self.report: Report | None = None
        self.compared: Graded | None = None  # the last report that has marks: what the next one is compared with
        self.changes: tuple[Change, ...] | None = None
        self.status = "Grading …"
        self.notice = ""
        self.warnings: list[str] = []
        self.focus = ""
        self.hint = ""
        self.saved = True
        self.sheet: Sheet | None = None
        self.drawn: Drawn | None = None
        self.stopped = 0
        self.skipped = self.following = 0
        self.gone_since: float | None = None

    def on_screen(self, *, colour: bool) -> int:
        """Watch in a terminal; the exit status."""

        def show() -> None:
            if terminal.hold():
                self._show(terminal, drawing)

        def asked(number: int) -> None:
            self.messages.put(Asked(number))
            if number == signal.SIGINT:
                terminal.give_back_again()

        terminal = Terminal(self.messages.put)
        asked_to_end(asked)
        with closing(self.saves), closing(self.watch):
            with terminal, closing(Drawing(self.messages.put, colour=colour)) as drawing:
                self._until_quit(show)
            terminal.part(self._how_it_stands())
        return self._exit_status()

    def _show(self, terminal: Terminal, drawing: Drawing) -> None:
        """Have what there is to see drawn, and show it when it is."""
        sheet = Sheet(self._view(terminal.keys), *terminal.size, terminal.taken)
        if sheet != self.sheet:
            self.sheet = sheet
            drawing.ask(sheet)
        if self.drawn is not None and self.drawn.sheet == sheet:
            terminal.show(self.drawn.frame.lines)
            self.following = self.drawn.frame.following
            self.drawn = None

    def in_lines(self) -> int:
        """Watch without a terminal, a few lines a report; the exit status."""
        told: tuple[object, ...] = ()

        def show() -> None:
            nonlocal told
            if (notice := self._notices()) and notice not in told:
                warn(notice)
            if told and told[0] and not notice:
                warn("What was in the way is gone, and grading goes on.")
            if self.report is not None and not any(each is self.report for each in told):
                click.echo(f"{self.status}\n{told_in_lines(self.report, self.changes, width=min(width(), 80))}")
            told = (notice, self.report)

        with closing(self.saves), closing(self.watch):
            click.echo(f"Watching {self.workspace / WORKSPACE} {self._method} Ctrl-C quits.")
            self._until_quit(show)
        return self._exit_status()

    # ── what happens ───────────────────────────────────────────────────────────────────────────────

    def _until_quit(self, show: Callable[[], None]) -> None:
        """Go on until q or Ctrl-C. Raises GraderError where grading can go on no longer."""
        try:
            self._read()
            show()
            while self._take(self._message()):
                self._look()
                show()
        except KeyboardInterrupt:
            return

    def _message(self) -> Message:
        try:
            return self.messages.get(timeout=LOOK_SECONDS)
        except Empty:
            return None

    def _take(self, message: Message) -> bool:
        """Do what a message asks for; whether to go on."""
        match message:
            case Broken():
                raise message.error
            case Graded():
                self._graded(message)
            case Drawn():
                self.drawn = message
            case Asked():
                self.stopped = message.number
            case "h":
                self._next_hint()
            case "n":
                self._next_exercise()
            case "r":
                self._read(again=True)
            case " ":
                self.skipped = self.following
        return message != QUIT and not self.stopped

    def _look(self) -> None:
        """Read the workspace again where anything in it was saved, and say so where it is gone."""
        saved = self.saves.look()
        if not self.saves.there:
            self._missing()
            return
        if self.gone_since is not None:
            self.gone_since, self.notice, saved = None, "", True
        if saved:
            self._read()

    def _missing(self) -> None:
        self.gone_since = self.gone_since or time.monotonic()
        self.notice = f"{WORKSPACE}/ is not there. Grading goes on when it is back."
        if not self.workspace.is_dir() and time.monotonic() - self.gone_since > GONE_SECONDS:
            raise UsageError(
                "the workspace is gone", where=str(self.workspace), remedy="Run `grade watch` where it is."
            )

    def _read(self, *, again: bool = False) -> None:
        """Begin a run of what is there now, where it differs from what was graded last or is to be graded again."""
        try:
            work = read_submission(self.workspace)
        except (SubmissionError, UsageError) as error:
            self.notice = str(error)
            return
        self.notice = ""
        self.saves.first = tuple(module.file for module in work.modules)
        if again or self.submission is None or _differ(self.submission, work):
            self.submission = work
            self.status = "Grading …"
            self.watch.grade(work)

    def _graded(self, done: Graded) -> None:
        """Take in a report: what it changed, what is to be remembered, and which exercise it leads to.

        One of a run that is over tells of an older save.
        """
        if done.run.over.is_set():
            return
        now = datetime.now(UTC)
        self.report = done.report
        self._compare(done)
        self.status = f"Graded at {now.astimezone():%H:%M:%S} in {done.seconds:.2f} s."
        self.warnings = remember(self.course, self.workspace, done.report, now) if done.report.graded else []
        self.hint = ""
        self.skipped = 0
        self.focus = self._led_to()

    def _compare(self, done: Graded) -> None:
        """With the last report that has marks; one that has none changes nothing."""
        before = self.compared if done.report.graded else None
        self.changes = changes(before.report, done.report) if before else None
        self.saved = before is None or _differ(before.run.submission, done.run.submission)
        self.compared = done if done.report.graded else self.compared

    def _led_to(self) -> str:
        """The exercise to tell of: one that the save changed, else the one in view, else the first not solved."""
        worked_on = [each.exercise for each in self.changes or ()]
        order = [self.focus] if self.focus in worked_on else worked_on
        unsolved = self._unsolved()
        return next((name for name in (*order, *worked_on, self.focus, *unsolved) if name in unsolved), "")

    def _unsolved(self) -> list[str]:
        return [each.name for each in self.report.exercises if each.status != "passed"] if self.report else []

    def _next_exercise(self) -> None:
        names = self._unsolved()
        if not names and self.report is not None:
            self.hint = ALL_SOLVED
        if self.focus in names:
            self.focus = names[(names.index(self.focus) + 1) % len(names)]
            self.hint, self.skipped = "", 0

    def _next_hint(self) -> None:
        """The next rung for the exercise in view; the workspace remembers it as it does that of `grade hint`."""
        from grader.evidence import expected
        from grader.hints import next_hint
        from grader.state import load_state, save_state

        if self.report is None or not self.report.graded:
            return
        try:
            state, note = load_state(self.workspace)
            self.hint = next_hint(self.report, self.course, self.focus or None, state, expected(self.course), way=WAY)
            save_state(self.workspace, state)
        except GraderError as error:
            note = str(error)
        self.notice = note
        self.skipped = 0

    # ── what there is to see ───────────────────────────────────────────────────────────────────────

    def _view(self, typed: str) -> View:
        focus = next((each for each in self.course.exercises if each.name == self.focus), None)
        return View(
            title=self.course.title,
            status=self.status,
            method=f"Watching {self._method}",
            report=self.report,
            changes=self.changes,
            saved=self.saved,
            focus=self.focus,
            file=f"{WORKSPACE}/{focus.stub.name}" if focus else "",
            hint=self.hint,
            notice=self._notices(),
            typed=typed,
            skipped=self.skipped,
        )

    def _notices(self) -> str:
        """What is in the way, what could not be remembered, and what isolation this machine lacks."""
        lacking = shortfall(self.course, self.report.receipt.isolation) if self.report else ""
        return "\n".join(filter(None, [self.notice, *self.warnings, lacking]))

    @property
    def _method(self) -> str:
        """How saves are noticed."""
        found = POLLING if self.poll else EVENTS if self.saves.by_events else LOOKING
        return f"{found} {CROWDED}" if self.saves.crowded else found

    def _how_it_stands(self) -> str:
        """The lines to part with; none where it was told to stop."""
        if self.report is None or self.stopped not in (0, signal.SIGINT):
            return ""
        points = f"{self.report.score:g} of {self.report.max_score:g} points"
        return prose(f"{points}. `grade` shows the whole report, `grade progress` how you came here.") + "\n"

    def _exit_status(self) -> int:
        """As that of `grade`, by the last report; that of any program where it was told to stop."""
        if self.stopped not in (0, signal.SIGINT):
            return 128 + self.stopped
        if self.report is None:
            return 1
        if not self.report.graded:
            return 2
        return 0 if self.report.score >= self.report.max_score else 1


def _differ(one: Submission, other: Submission) -> bool:
    """Whether two readings of a workspace differ in anything that a report tells of."""
    return (one.sha256, one.notes, one.beside) != (other.sha256, other.notes, other.beside)
