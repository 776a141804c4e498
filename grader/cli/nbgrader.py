"""`grade nbgrader`."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.group import SomePath, main, with_course
from grader.cli.work import course_at


@main.group()
def nbgrader() -> None:
    """A course for nbgrader, and its grades."""


@nbgrader.command("init")
@click.argument("folder", type=SomePath(path_type=Path))
@click.option("--course-id", help="The course's name in nbgrader. Default: its name in course.yml.")
@click.option(
    "--written/--no-written",
    default=True,
    show_default=True,
    help="Whether the notebook ends with the lesson's written question, which is marked by hand.",
)
@with_course
def nbgrader_init(folder: Path, course_id: str | None, written: bool, course_path: Path | None) -> None:
    """Make a course folder for nbgrader: the notebook, the configuration, and a page on the steps to take.

    \b
    Examples:
      grade nbgrader init autumn                        the folder autumn, with everything
      grade nbgrader init autumn --course-id ml-2       under the name that students see
      grade nbgrader init autumn --no-written           without the question that is marked by hand
    """  # noqa: D301 - click wants a real \b
    import shlex

    from grader.nbgrader_course import init

    course = course_at(course_path)
    paths = init(course, folder, course_id=course.name if course_id is None else course_id, written=written)
    click.echo("\n".join(f"  {path}" for path in paths))
    commands = [f"cd {shlex.quote(str(folder))}", f"nbgrader generate_assignment {shlex.quote(course.name)}"]
    click.echo(f"\nRead {paths[-1]}, then run:\n  " + "\n  ".join(commands))
