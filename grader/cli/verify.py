"""`grade verify`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from grader.cli.group import main, with_course
from grader.cli.screen import fitting, in_sight, width
from grader.cli.work import course_at, launcher


@main.command(short_help="The course checks itself, or what this machine isolates.")
@click.option("--machine", is_flag=True, help="Only say what isolation this machine gives to student code.")
@click.option("--write-stubs", is_flag=True, help="Make the stubs afresh from the solutions.")
@click.option(
    "--pairs", is_flag=True, help="Try every pair of mistakes as well, which takes minutes, and list what is found."
)
@with_course
def verify(machine: bool, write_stubs: bool, pairs: bool, course_path: Path | None) -> None:
    """The course checks itself: solutions get all points, stubs none, every known mistake is caught and named.

    With --machine a probe tries what student code must not do, and each is held or open. What this machine lacks is
    `weak`, and FAILED where course.yml says `isolation: required`, or where a worker says that it has it.

    \b
    Examples:
      grade verify                           the course installed here
      grade verify --course my-course        one of your own
      grade verify --machine                 before grades that count are given
      grade verify --write-stubs             after a solution has changed

    Exit status: 0 all is well, 2 something is FAILED, or the command is at fault.
    """  # noqa: D301 - click wants a real \b
    from grader import verify as verification

    if write_stubs:
        for path in verification.write_stubs(course_at(course_path, stubs=False)):
            click.echo(f"wrote {path}")
        return
    course = course_at(course_path)
    with launcher() as workers:
        required = course.isolation == "required"
        if machine:
            checks = verification.machine(workers, required=required)
        else:
            checks = verification.verify(course, workers, pairs=pairs)
        failed = 0
        for check in checks:
            failed += bool(check.problems)
            _show(check.title, check.word)
            for problem in (*check.problems, *(check.notes if pairs else ())):
                _show(problem)
    if failed:
        sys.exit(2)


def _show(text: str, word: str = "") -> None:
    """A word and what it is said of; on a terminal broken between words, and whole where scripts read it."""
    line = f"{'':8}{text}"
    shown = fitting(line, width()) if in_sight(sys.stdout) else line
    click.echo(f"{word:<7} {shown[8:]}")
