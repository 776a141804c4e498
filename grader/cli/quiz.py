"""`grade quiz`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.completion import topics
from grader.cli.group import SomePath, Whole, main, with_course
from grader.cli.output import check_writable, write
from grader.cli.screen import best_style, say_what_can_be_said, warn, width
from grader.cli.work import course_at, here
from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.course import Course

EXPORTS = ("html", "moodle", "qti", "anki")
ENDINGS = {".html": "html", ".xml": "moodle", ".zip": "qti", ".txt": "anki"}  # what a file's name says of its format


@main.command(short_help="Practise: a hundred questions, spaced.")
@click.option(
    "--topic",
    "topics",
    multiple=True,
    metavar="NAME",
    shell_complete=topics,
    help="This topic alone; can be given several times.",
)
@click.option("--count", type=Whole(1), metavar="N", default=20, show_default=True, help="Questions in this session.")
@click.option("--new", type=Whole(0), metavar="N", default=10, show_default=True, help="New questions a day.")
@click.option("--seed", type=Whole(0), metavar="N", help="Draws numbers and shuffles choices. Default: the day's own.")
@click.option("--answers", type=SomePath(path_type=Path), help="A file to answer from: one a line, # for comments.")
@click.option("--stats", is_flag=True, help="Ask nothing: say how each topic stands and what is due.")
@click.option(
    "--export",
    type=SomePath(path_type=Path, dir_okay=False),
    help="Ask nothing: write the bank, or --topic of it, to a file.",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(EXPORTS),
    help="Of the export: one page for a browser, Moodle XML, a QTI 1.2 package as Canvas takes it, Anki's text.",
)
@with_course
def quiz(
    answers: Path | None, export: Path | None, style: str | None, course_path: Path | None, **options: Any
) -> None:
    """Practise: questions that come back when you are about to forget them.

    First what is due, then what the last report of your code points to, then what is new. Every answer is kept at
    once, in .grade/ of the workspace you are in; outside of one, in .grade/ of your home folder.

    \b
    Examples:
      grade quiz                              what is due, and something new
      grade quiz --topic scaling --count 5    five questions on one topic
      grade quiz --stats                      how each topic stands
      grade quiz --export quiz.html           for a browser, offline too

    Exit status: 0 however many answers are right, 2 the command, the course or the machine is at fault.
    """  # noqa: D301 - click wants a real \b
    if export is not None or style is not None:
        _export(course_at(course_path), export, style, options["topics"])
        return
    from grader.cli.quiz_session import hold, memory_near, terminal

    say_what_can_be_said()
    talk = terminal(answers, width=min(width(), 80), colour=best_style(None) == "rich")
    hold(course_at(course_path), memory_near(here()), talk, **options)


def _export(course: Course, file: Path | None, style: str | None, topics: Sequence[str]) -> None:
    if file is None:
        raise UsageError("--format is that of an export", remedy="Name its file: --export quiz.html --format html.")
    style = style or ENDINGS.get(file.suffix)
    if style is None:
        remedy = f"Add --format {'|'.join(EXPORTS)}, or end the name in {', '.join(ENDINGS)}."
        raise UsageError("its name does not say in which format", where=str(file), remedy=remedy)
    check_writable(file)
    from grader.bank import load_bank
    from grader.cli.quiz_session import choose
    from grader.quiz_export import FORMATS

    bank = choose(load_bank(course), topics)
    write(file, FORMATS[style](bank, course))
    warn(f"{len(bank)} questions are in {file}")
