"""`grade progress`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.group import main, with_course
from grader.cli.screen import say_what_can_be_said, warn, width
from grader.cli.work import course_at, here

if TYPE_CHECKING:
    from grader.course import Course
    from grader.render.progress import TitleOf


@main.command(short_help="Your points over time, and the mistakes you conquered.")
@with_course
def progress(course_path: Path | None) -> None:
    """Look back: the points of this workspace over time, the best and the last, and the mistakes you conquered.

    Every `grade` and every save under `grade watch` that says something new is an attempt, a fault of the grader's
    never. They are kept in .grade/ of the workspace, and leave the machine by no way.

    \b
    Examples:
      grade progress                drawn in the terminal
      NO_COLOR=1 grade progress     without colour
      grade progress | cat          in words, for a file or a screen reader

    Exit status: 0 whatever the points are, 2 the command, the course or the machine is at fault.
    """  # noqa: D301 - click wants a real \b
    from grader.progress import PROGRESS, look_back
    from grader.render.progress import render
    from grader.workspace import find_workspace

    course = course_at(course_path)
    attempts, note = PROGRESS.load(find_workspace(here()))
    if note:
        warn(note)
    seen = look_back(attempts, course.name, course.title, {each.name: each.points for each in course.exercises})
    drawing = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    colour = drawing and not os.environ.get("NO_COLOR")
    say_what_can_be_said()
    text = render(seen, _titles(course), width=min(width(), 80), picture=drawing, colour=colour)
    click.echo(text, nl=False, color=True)


def _titles(course: Course) -> TitleOf:
    """What a mistake is, "" for one that the course no longer knows."""
    words = {each.name: course.words(each) for each in course.exercises}

    def title_of(exercise: str, code: str) -> str:
        known = words.get(exercise, {}).get(code)
        return known.title if known else ""

    return title_of
