"""`grade watch`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from grader.cli.completion import exercise_names
from grader.cli.group import main, with_course
from grader.cli.screen import in_sight, say_what_can_be_said
from grader.cli.signals import leave
from grader.cli.work import course_at, here, launcher


@main.command(short_help="Grade again on every save; keys: h, n, r, Space, q.")
@click.argument("exercises", nargs=-1, metavar="[EXERCISE]...", shell_complete=exercise_names)
@click.option("--poll", is_flag=True, help="Look for saves several times a second, and ask for no file events.")
@with_course
def watch(exercises: tuple[str, ...], poll: bool, course_path: Path | None) -> None:
    """Grade again on every save, in a view that keeps its place and says what the save changed.

    \b
    Keys:
      h      the next hint for the exercise in view     r  grade now, saved or not
      n      the next exercise that is not solved       q  quit; so does Ctrl-C
      Space  what did not fit on the screen

    A save while a run is under way ends that run and starts another. Where the file system tells of no saves (WSL,
    network disks, folders lent to a container) they are found by looking, and the view says so. Without a terminal
    there are no keys, and a few plain lines a save, until it is interrupted.

    \b
    Examples:
      grade watch                 beside your editor
      grade watch softmax         one exercise
      grade watch --poll          where saves go unnoticed

    Exit status: 0 the last report had all points, 1 it had not, 2 it was none: the grader, or the machine, failed.
    """  # noqa: D301 - click wants a real \b
    with launcher() as workers:  # first: the warm parent starts while the rest is being imported
        from grader.cli.watch_session import Session
        from grader.workspace import find_workspace

        course = course_at(course_path)
        chosen = [course.exercise(name) for name in dict.fromkeys(exercises)]
        say_what_can_be_said()
        on_screen = in_sight(sys.stdout) and os.environ.get("TERM") != "dumb"
        session = Session(find_workspace(here()), course, workers, chosen, poll=poll)
        if not on_screen:
            sys.exit(session.in_lines())
        status = session.on_screen(colour=not os.environ.get("NO_COLOR"))
    leave(status)
