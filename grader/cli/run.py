"""`grade run`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.completion import exercise_names
from grader.cli.editor import for_an_editor
from grader.cli.group import Number, SomePath, Whole, main, with_course
from grader.cli.output import check_writable, write
from grader.cli.screen import STYLES, best_style, render, say_what_can_be_said, warn
from grader.cli.work import grade, here, remember
from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.course import Course
    from grader.report import Report

FORMATS = ("rich", "plain", "json", "junit", "html", "editor", "gradescope", "github")
MAPPED = ("rich", "plain", "json", "html")  # formats that have room for maps

NO_MAPS = "there is no map to show: one is drawn where a function gives a table of the right shape with wrong numbers"
KEPT_MAPS = "this course shows no maps: it keeps to itself what is wrong"


def _number(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    if value is not None and value != value:
        raise click.BadParameter("expected a number of points, such as 60", ctx, param)
    return value


@main.command(short_help="Grade: score, failed checks, mistakes, the next step.")
@click.argument("exercises", nargs=-1, metavar="[EXERCISE]...", shell_complete=exercise_names)
@click.option(
    "--submission",
    type=SomePath(path_type=Path),
    help="A folder, .py, .ipynb, .zip or .tar.gz. Default: this workspace.",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(FORMATS),
    help="Default: rich in a terminal; what --output ends in (.html, .json; .xml: junit); else plain. editor: plain, "
    "after a line for each problem, FILE:LINE: error: …, for an editor to jump to.",
)
@click.option("--output", type=SomePath(path_type=Path, dir_okay=False), help="Write the report to a file.")
@click.option(
    "--seed",
    type=Whole(0),
    metavar="N",
    default=0,
    show_default=True,
    help="Draws the numbers of the hidden tests.",
)
@click.option(
    "--pass-mark",
    type=Number(0, max_open=False),
    metavar="POINTS",
    callback=_number,
    help="Points that make exit status 0. Default: all of them.",
)
@click.option("--show-output", is_flag=True, help="Show all that your code printed, not the first 20 lines.")
@click.option(
    "--maps", is_flag=True, help="Your attention weights and masks, where wrong, beside the right ones. In html always."
)
@with_course
def run(
    exercises: tuple[str, ...],
    submission: Path | None,
    style: str | None,
    output: Path | None,
    seed: int,
    pass_mark: float | None,
    show_output: bool,
    maps: bool,
    course_path: Path | None,
) -> None:
    """Grade: the score, the checks that failed and why, the mistakes, the next step.

    Without EXERCISE: all of them. Without a command, `grade` is `grade run`: all of its options can follow.

    \b
    Examples:
      grade                                everything in this workspace
      grade run softmax                    one exercise, with its own pass mark
      grade run attention --maps           your attention weights beside the right
      grade run --output report.html       a page, with these maps, for a browser
      grade run --submission work.ipynb    a notebook, file, folder or archive
      grade run --output report.json       for a script

    Exit status: 0 the score reaches the pass mark, 1 it does not, 2 the command, the course or the machine is at
    fault.
    """  # noqa: D301 - click wants a real \b
    if output is not None:
        check_writable(output)
    style = style or best_style(output)
    if maps and style not in MAPPED:
        remedy = f"Leave --maps out, or choose another format: {', '.join(MAPPED)}."
        raise UsageError(f"the format {style} has no room for maps", where="--maps", remedy=remedy)
    course, report = grade(course_path, submission, exercises, seed, maps=maps or style == "html")
    if pass_mark is not None and pass_mark > report.max_score:
        there_are = f"there are {report.max_score:g} points, so {pass_mark:g} is never reached"
        raise UsageError(there_are, where="--pass-mark", remedy="Name as many points as there are, or fewer.")
    text = (
        for_an_editor(course, report, submission, show_output)
        if style == "editor"
        else render(report, style, show_output)
    )
    if output is None:
        say_what_can_be_said()
        click.echo(text.encode() if style in STYLES.values() else text, nl=not text.endswith("\n"), color=True)
    else:
        write(output, text)
        warn(f"{report.score:g} of {report.max_score:g} points; the report is in {output}")
    if maps and not any(each.maps for each in report.exercises):
        warn(NO_MAPS if course.reveal.mistakes else KEPT_MAPS)
    _say_what_isolation_is_missing(course, report)
    if not report.graded:
        warn("the grader failed, not the submission; nothing here is a student's zero.")
        sys.exit(2)
    if submission is None:
        _remember(course, report)
    sys.exit(0 if report.score >= (report.max_score if pass_mark is None else pass_mark) else 1)


def _say_what_isolation_is_missing(course: Course, report: Report) -> None:
    from grader.isolation import shortfall

    if note := shortfall(course, report.receipt.isolation):
        warn(note)


def _remember(course: Course, report: Report) -> None:
    from datetime import UTC, datetime

    from grader.workspace import find_workspace

    for note in remember(course, find_workspace(here()), report, datetime.now(UTC)):
        warn(note)
