"""`grade hint`."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.completion import exercise_names
from grader.cli.group import SomePath, main, with_course
from grader.cli.screen import say, warn
from grader.cli.work import grade, here
from grader.errors import GraderError, UsageError

NOT_REMEMBERED = "Only a workspace remembers how far you are: here, --all shows the other hints."


@main.command(short_help="The next hint for what is wrong now.")
@click.argument("exercise", required=False, shell_complete=exercise_names)
@click.option(
    "--all", "everything", is_flag=True, help="Every hint at once, the right result of a small example included."
)
@click.option(
    "--submission",
    type=SomePath(path_type=Path),
    help="As in `grade run`; nothing is remembered then. Default: this workspace.",
)
@with_course
def hint(exercise: str | None, everything: bool, submission: Path | None, course_path: Path | None) -> None:
    """The next hint for what is wrong now, in the exercise named or the first unsolved one.

    Each call goes one rung up the ladder, from a question to the place in the code. A workspace remembers how far
    you are, and forgets it once the mistake is gone; with --submission nothing is remembered.

    \b
    Examples:
      grade hint                                  ask again for a plainer one
      grade hint softmax                          of that exercise
      grade hint softmax --all                    every hint at once
      grade hint attention --submission work.py   of a file, a folder, a notebook

    Exit status: 0 whatever there is to hint at, 2 the command, the course or the machine is at fault.
    """  # noqa: D301 - click wants a real \b
    from grader.evidence import expected
    from grader.hints import WAY, every_hint, next_hint
    from grader.state import State, load_state, save_state
    from grader.workspace import find_workspace

    course, report = grade(course_path, submission, (exercise,) if exercise else (), 0)
    if not report.graded:
        raise GraderError("the grader failed, so there is nothing to hint at", remedy="`grade run` says what failed.")
    workspace = None if submission or everything else find_workspace(here())
    state, note = State(), ""
    try:
        state, note = load_state(workspace) if workspace else (state, "")
    except UsageError as error:  # there is a hint all the same
        workspace, note = None, str(error)
    if note:
        warn(note)
    right = expected(course)
    if everything:
        say(every_hint(report, course, exercise, right))
        return
    say(next_hint(report, course, exercise, state, right, way=WAY if workspace else NOT_REMEMBERED))
    if workspace and report.graded:
        save_state(workspace, state)
