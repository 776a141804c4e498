"""`grade start`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader import __version__
from grader.cli.group import SomePath, main, with_course
from grader.cli.work import course_at
from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.course import Course
    from grader.workspace import Content

PLATFORMS = ("github", "gradescope")
DISTRIBUTION = "attention-from-the-math-up"
REQUIREMENT = f"{DISTRIBUTION}=={__version__}"


@main.command(short_help="Make a fresh workspace: the exercises and the lesson.")
@click.argument("folder", type=SomePath(path_type=Path))
@click.option(
    "--for",
    "platform",
    type=click.Choice(PLATFORMS),
    help="Add what grades there. github: a workflow for GitHub Classroom. gradescope: the autograder, as a zip.",
)
@click.option("--force", is_flag=True, help="Start over in a folder that is in use: what it holds moves beside it.")
@with_course
def start(folder: Path, platform: str | None, force: bool, course_path: Path | None) -> None:
    """Make a fresh workspace: the exercises to fill in, the lesson, and a page on what to do.

    It opens in VS Code with a task that grades (Ctrl+Shift+B) and puts what failed on its lines, and in Jupyter as it
    is. Nothing is asked, and no network is needed.

    Nothing is ever overwritten. With --force, what the folder holds moves into a new one beside it, named with the
    day's date. What belongs to the place stays: .grade/ with your points and hints, .git/ and .venv/.

    \b
    Examples:
      grade start my-work                      a workspace of your own
      grade start my-work --force              again, the old one kept beside it
      grade start homework --for github        to push as a template
      grade start homework --for gradescope    with autograder.zip to upload

    Exit status: 0 it is there, 2 it could not be made.
    """  # noqa: D301 - click wants a real \b
    from grader import workspace

    course = course_at(course_path)
    more = _files(course, platform, own=course_path)
    if force:
        _set_aside(folder)
    written = workspace.start(course, folder, more)
    added = [folder / name for name in more if not name.startswith(".vscode")]
    click.echo("\n".join(f"  {path}" for path in (folder / "README.md", *added, *written)))
    _say_what_to_do(folder, written[-1], added, platform)


def _files(course: Course, platform: str | None, *, own: Path | None) -> dict[str, Content]:
    """The files of a workspace that are not the course's own. Raises UsageError."""
    import sys
    import sysconfig

    from grader.continuous import platform_files
    from grader.course import default_root
    from grader.vscode import vscode_files

    if platform is None:
        programs, python = sysconfig.get_path("scripts"), sys.executable
        return dict(vscode_files(programs=programs, python=python, course=str(own.absolute()) if own else ""))
    if course.root != default_root().resolve():
        remedy = "Add the course's folder to what you made with `grade start` yourself, and set GRADE_COURSE to it."
        raise UsageError(f"--for {platform} is for the course that the package brings along", remedy=remedy)
    return {**vscode_files(), **platform_files(platform, REQUIREMENT)}


def _set_aside(folder: Path) -> None:
    from datetime import UTC, datetime

    from grader.workspace import set_aside

    if aside := set_aside(folder, datetime.now(UTC).astimezone().date()):
        click.echo(f"What this folder held is now in {aside}\n")


def _say_what_to_do(folder: Path, lesson: Path, added: list[Path], platform: str | None) -> None:
    import shlex

    if platform is None:
        way = "" if folder == Path() else f"  cd {shlex.quote(str(folder))}\n"
        click.echo(f"\nRead {lesson}, fill in the functions, then run:\n{way}  grade")
        return
    steps = {
        "github": f"Push {folder} as the template of the assignment; every push of a student is graded.",
        "gradescope": f"Upload {added[0]} as the assignment's autograder. Students get the rest of {folder}.",
    }
    click.echo(f"\n{steps[platform]}\nGraded there with {REQUIREMENT}, as pip installs it.")
