"""`grade solution`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from grader.cli.completion import exercise_names
from grader.cli.group import SomePath, main, with_course
from grader.cli.screen import say, say_what_can_be_said, width
from grader.cli.work import grade
from grader.errors import GraderError, UsageError


@main.command(short_help="The course's solution, once yours has all its points.")
@click.argument("exercise", shell_complete=exercise_names)
@click.option(
    "--submission", type=SomePath(path_type=Path), help="Yours, as in `grade run`. Default: this workspace's."
)
@with_course
def solution(exercise: str, submission: Path | None, course_path: Path | None) -> None:
    """The course's solution of an exercise with its reasons, once yours has all its points.

    \b
    Examples:
      grade solution softmax                              of this workspace
      grade solution attention --submission work.ipynb    of a notebook, a file

    Exit status: 0 it is shown, 1 yours has not all points yet, 2 the command, the course or the machine is at fault, or
    this course keeps its solutions to itself.
    """  # noqa: D301 - click wants a real \b
    from grader.render.listing import listing
    from grader.render.words import number
    from grader.stubs import without_marks

    course, report = grade(course_path, submission, (exercise,), 0)
    if not course.reveal.solutions:
        remedy = "Whoever teaches it can show them; `grade hint` helps meanwhile."
        raise UsageError("this course keeps its solutions to itself", remedy=remedy)
    if not report.graded:
        raise GraderError(
            "the grader failed, so it cannot tell whether yours has all its points",
            remedy="`grade run` says what failed.",
        )
    if report.score < report.max_score:
        say(
            f"{exercise} has {number(report.score)} of {number(report.max_score)} points; the solution is for "
            f"comparing once yours has all of them.\n`grade hint {exercise}` helps with what is wrong now."
        )
        sys.exit(1)
    say_what_can_be_said()
    source = without_marks(course.exercise(exercise).solution.read_text(encoding="utf-8"))
    click.echo(listing(source, width()) if sys.stdout.isatty() else source, nl=False)
