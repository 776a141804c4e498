"""`grade start`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader import __version__
from grader.cli.group import SomePath, main, with_course
from grader.cli.pasting import pasted
from grader.cli.screen import say, say_what_can_be_said
from grader.cli.work import course_at
from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.continuous import Grader
    from grader.course import Course
    from grader.workspace import Content

PLATFORMS = ("github", "gradescope")
DISTRIBUTION = "attention-from-the-math-up"


@main.command(short_help="Make a fresh workspace: the exercises and the lesson.")
@click.argument("folder", type=SomePath(path_type=Path))
@click.option(
    "--for",
    "platforms",
    multiple=True,
    type=click.Choice(PLATFORMS),
    help="Add what grades there. github: a workflow for GitHub Classroom. gradescope: the autograder, as a zip. "
    "May be given twice.",
)
@click.option(
    "--wheel",
    type=SomePath(path_type=Path),
    help="The wheel of this package to grade with there, known by its SHA-256. Without one, pip looks for the "
    "package's name on its index.",
)
@click.option(
    "--force", is_flag=True, help="Start over in a folder that is in use: what is in the way moves beside it."
)
@with_course
def start(folder: Path, platforms: tuple[str, ...], wheel: Path | None, force: bool, course_path: Path | None) -> None:
    """Make a fresh workspace: the exercises to fill in, the lesson, and a page on what to do.

    It opens in VS Code with a task that grades (Ctrl+Shift+B) and puts what failed on its lines, and in Jupyter as it
    is. Nothing is asked, and no network is needed.

    Nothing is ever overwritten. With --force, the files that a new workspace would write over move into a new folder
    beside this one, named with the day's date. All others stay, and so do .grade/ with your points and hints, .git/
    and .venv/. Where anything goes wrong, all is as it was.

    --for adds what grades on a platform. It installs the wheel that you name with --wheel, made in a clone of this
    project with `pip wheel --no-deps .`; for github that wheel, with the tests and solutions in it, lies in the
    template. Without a wheel pip takes the package from its index, by its name: from whoever published it there.

    \b
    Examples:
      grade start my-work                      a workspace of your own
      grade start my-work --force              again, the old files kept beside it
      grade start homework --for github        to push as a template
      grade start homework --for gradescope    with autograder.zip to upload

    Exit status: 0 it is there, 2 it could not be made.
    """  # noqa: D301 - click wants a real \b
    say_what_can_be_said()
    course, grader = course_at(course_path), _grader(platforms, wheel)
    more = _for_others(course, platforms, grader) if platforms else _for_oneself(course_path)
    written = _make(course, folder, more, force=force)
    names = dict.fromkeys(map(_listed, (".gitignore", *more)))
    added = [folder / name for name in names if name != "README.md"]
    click.echo("\n".join(f"  {path}" for path in (folder / "README.md", *written, *added)))
    if platforms:
        _say_what_to_hand_out(folder, platforms, grader)
    else:
        _say_what_to_do(folder, written[-1])


def _listed(path: str) -> str:
    """How a file that is made is listed: an editor's settings together."""
    return ".vscode" if path.startswith(".vscode/") else path


def _grader(platforms: tuple[str, ...], wheel: Path | None) -> Grader:
    """What is installed to grade on platforms. Raises UsageError."""
    from dataclasses import replace

    from grader.continuous import Grader, read_wheel

    grader = Grader(DISTRIBUTION, __version__)
    if wheel is None:
        return grader
    if not platforms:
        remedy = f"Add {' or '.join(f'--for {each}' for each in PLATFORMS)}, or leave --wheel out."
        raise UsageError("--wheel is for what grades on a platform", remedy=remedy)
    return replace(grader, wheel=read_wheel(wheel, grader))


def _for_oneself(own: Path | None) -> dict[str, Content]:
    """The files of a workspace on this machine that are not the course's own. Raises UsageError."""
    import sys
    import sysconfig

    from grader.vscode import vscode_files

    course = str(own.absolute()) if own else ""
    if not _is_text(course):
        remedy = "Rename the folder: no settings file can hold this name."
        raise UsageError("the course's path is not UTF-8", where=course, remedy=remedy)
    programs, python = (path if _is_text(path) else "" for path in (sysconfig.get_path("scripts"), sys.executable))
    return dict(vscode_files(programs=programs, python=python, course=course))


def _is_text(path: str) -> bool:
    """Whether all of a path is UTF-8: it may be any bytes, a file of settings may not."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _for_others(course: Course, platforms: tuple[str, ...], grader: Grader) -> dict[str, Content]:
    """The files of a workspace that is handed out that are not the course's own. Raises UsageError."""
    from grader import continuous
    from grader.course import default_root
    from grader.vscode import vscode_files
    from grader.welcome import welcome

    if course.root != default_root().resolve():
        remedy = "Add the course's folder to what you made with `grade start` yourself, and set GRADE_COURSE to it."
        raise UsageError("--for is for the course that the package brings along", remedy=remedy)
    platforms = tuple(dict.fromkeys(platforms))
    page = welcome(course, [continuous.PLATFORMS[name].hand_in for name in platforms])
    return {**vscode_files(), **continuous.platform_files(platforms, grader), "README.md": page}


def _make(course: Course, folder: Path, more: dict[str, Content], *, force: bool) -> list[Path]:
    from datetime import UTC, datetime

    from grader import workspace

    if not force:
        return workspace.start(course, folder, more)
    written, aside = workspace.start_over(course, folder, datetime.now(UTC).astimezone().date(), more)
    if aside:
        say(f"What was in the way is now in {aside}. All else is where it was.\n")
    return written


def _say_what_to_do(folder: Path, lesson: Path) -> None:
    way = "" if folder == Path() else f"  cd {pasted(folder)}\n"
    say(f"\nRead {lesson}, fill in the functions, then run:\n{way}  grade")


def _say_what_to_hand_out(folder: Path, platforms: tuple[str, ...], grader: Grader) -> None:
    from grader.continuous import ARCHIVE

    steps = {
        "github": f"Push {folder} as the template of the assignment; every push of a student is graded.",
        "gradescope": f"Upload {folder / ARCHIVE} as the assignment's autograder; students get all else.",
    }
    say("\n" + "\n".join(steps[name] for name in dict.fromkeys(platforms)))
    say(_graded_with(grader, platforms))


def _graded_with(grader: Grader, platforms: tuple[str, ...]) -> str:
    if grader.wheel:
        shown = "\nWho can read the repository can read the tests and solutions in it." if "github" in platforms else ""
        return f"Graded there with {grader.wheel.name}, whose SHA-256 is checked.{shown}"
    return (
        f"Graded there with {grader.requirement}, which pip takes from its package index by that name. "
        "If nobody has published it there, nothing is graded; whoever has decides what grades. "
        "To be sure, make a wheel in a clone of this project with `pip wheel --no-deps .`, and add\n"
        f"  --wheel {grader.stem}-py3-none-any.whl"
    )
