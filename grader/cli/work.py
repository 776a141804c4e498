"""What most commands begin with: the course, a launcher, and a report of what is to be graded."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from grader.cli.group import UNNAMED, main
from grader.cli.screen import warn
from grader.errors import SubmissionError, UsageError

if TYPE_CHECKING:
    from datetime import datetime

    from grader.course import Course
    from grader.report import Report
    from grader.submission import Submission
    from grader.worker.launch import Launcher


def grade(
    course_path: Path | None, submission: Path | None, names: tuple[str, ...], seed: int, *, maps: bool = False
) -> tuple[Course, Report]:
    """The course, and the report on a submission, the workspace here where it is None; with `maps` if asked for.

    Raises GraderError.
    """
    with launcher() as workers:  # first: the warm parent starts while the rest is being imported
        from grader.workspace import find_workspace

        course = course_at(course_path)
        exercises = [course.exercise(name, also=_also(name, names)) for name in dict.fromkeys(names)]
        path = submission or find_workspace(here(), _by_option(names))
        try:
            work = read_work(path)
        except SubmissionError as error:  # ours, so there is a report that says so
            from grader import grading

            warn(str(error))
            return course, grading.not_graded(str(path), course, seed, workers, str(error), exercises)

        from grader import grading

        return course, grading.grade(work, course, seed, workers, exercises, maps=maps)


def _also(name: str, names: tuple[str, ...]) -> list[str]:
    """What else the name may have been meant for: where no command was named, the first name may be one misspelt."""
    unnamed = UNNAMED in click.get_current_context().meta
    return list(main.commands) if unnamed and name == names[0] else []


def _by_option(names: tuple[str, ...]) -> str:
    """How this command grades what is no workspace."""
    command = " ".join(["grade", click.get_current_context().info_name or "run", *names])
    return f"name your work: `{command} --submission PATH`"


def read_work(path: Path) -> Submission:
    """The submission at a path. Raises SubmissionError where the machine refuses to read it.

    Raises UsageError for a file that is neither source nor archive: whoever named it meant another.
    """
    from grader.layout import ARCHIVE_SUFFIXES, SOURCE_SUFFIXES
    from grader.submission import read_submission

    work = read_submission(path)
    known = path.name.lower().endswith((*SOURCE_SUFFIXES, *ARCHIVE_SUFFIXES))
    if not (known or work.modules or path.is_dir()):
        remedy = "Name a workspace, a folder, a .py file, a notebook (.ipynb), or a .zip or .tar.gz of one of these."
        raise UsageError("a file of this kind is not graded", where=str(path), remedy=remedy)
    return work


def course_at(path: Path | None, *, stubs: bool = True) -> Course:
    """The course at a path, the one installed where it is None. Raises UsageError or CourseError."""
    from grader.course import default_root, load_course

    return load_course(path or default_root(), stubs=stubs)


def remember(course: Course, workspace: Path, report: Report, now: datetime) -> list[str]:
    """Keep a report in the workspace's memory, for progress and for the quiz; what there is to say of that."""
    from grader.progress import remember_attempt
    from grader.quiz import remember_report

    notes = [remember_attempt(workspace, report, now)]
    if course.quiz is not None:
        notes.append(remember_report(workspace, report, now))
    return [note for note in notes if note]


@contextmanager
def launcher() -> Iterator[Launcher]:
    """Where workers come from, closed at the end, also of a program that is told to stop."""
    from grader.worker.launch import make_launcher

    signal.signal(signal.SIGTERM, _stop)  # so that workers and their scratch folders are cleared away
    workers = make_launcher()
    try:
        yield workers
    finally:
        workers.close()


def _stop(number: int, _: object) -> NoReturn:
    sys.exit(128 + number)


def here() -> Path:
    """The folder the command runs in. Raises UsageError where it is gone."""
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError("the folder this runs in is gone", remedy="Change into a folder that exists.") from error
