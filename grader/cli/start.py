"""`grade start`."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.group import main, with_course
from grader.cli.work import course_at


@main.command()
@click.argument("folder", type=click.Path(path_type=Path))
@with_course
def start(folder: Path, course_path: Path | None) -> None:
    """Make a fresh workspace: the exercises to fill in, and the lesson."""
    import shlex

    from grader import workspace

    written = workspace.start(course_at(course_path), folder)
    click.echo("\n".join(f"  {path}" for path in written))
    way = shlex.quote(str(folder))
    click.echo(f"\nRead {written[-1]}, fill in the functions, then run:\n  cd {way}\n  grade")
