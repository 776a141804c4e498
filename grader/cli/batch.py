"""`grade batch`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.group import SomePath, Whole, main, with_course
from grader.cli.marks import Shape, filled, show, write_report
from grader.cli.output import check_writable
from grader.cli.pace import shown_progress
from grader.cli.screen import warn
from grader.cli.stopping import stoppable
from grader.cli.work import course_at
from grader.errors import UsageError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from grader.course import Course
    from grader.crew import Crew
    from grader.desk import Terms
    from grader.handed_in import Entry
    from grader.ledger import Ledger

FORMATS = ("json", "csv", "canvas", "moodle")
STYLES = {".json": "json", ".jsonl": "json", ".csv": "csv"}
SEED = Path(".grade", "seed")
STANDARD_OUTPUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
MOST_LEFT_OUT = 5  # names
ENDING = ".grades.jsonl"
KEPT = f"PATH{ENDING} or --output FILE.jsonl"


@main.command(short_help="Grade a whole class: a folder, or a platform's zip.")
@click.argument("path", type=SomePath(path_type=Path))
@click.option("--workers", type=Whole(1), metavar="N", help="How many to grade at a time. Default: one a processor.")
@click.option(
    "--format",
    "style",
    type=click.Choice(FORMATS),
    help="json: a report a line. csv: a row a student. canvas: your own export (--roster), filled in. moodle: for its "
    "grade import. Default: what --output ends in; without one, a summary to read.",
)
@click.option("--output", type=SomePath(path_type=Path, dir_okay=False), help="Write the results to a file.")
@click.option(
    "--seed",
    type=Whole(0),
    metavar="N",
    help="Draws the numbers of the hidden tests. Default: the class's own, made once and kept in .grade/ beside PATH.",
)
@click.option("--report", type=SomePath(path_type=Path, dir_okay=False), help="Write a page on the class (HTML).")
@click.option(
    "--against",
    type=SomePath(path_type=Path, dir_okay=False),
    help="Earlier results (JSON Lines): say who moves, by how much and why.",
)
@click.option(
    "--roster",
    type=SomePath(path_type=Path, dir_okay=False),
    help="The gradebook as you exported it from Canvas, or the list of participants from Moodle.",
)
@click.option(
    "--column",
    metavar="NAME",
    help="The assignment's column in Canvas or Moodle, as in Attention (5551). Default: the course's title.",
)
@click.option("--fresh", is_flag=True, help="Grade everything again, also what was graded before.")
@click.option("--dask", metavar="ADDRESS", help="Grade on the workers of this Dask scheduler.")
@with_course
def batch(
    path: Path,
    workers: int | None,
    style: str | None,
    output: Path | None,
    seed: int | None,
    report: Path | None,
    against: Path | None,
    roster: Path | None,
    column: str | None,
    fresh: bool,
    dask: str | None,
    course_path: Path | None,
) -> None:
    """Grade a whole class: every entry of a folder, or of a zip as Moodle, Canvas or Gradescope hand it out.

    Results are kept as they come, in PATH.grades.jsonl or the --output of --format json. Stopped for whatever reason,
    the same command goes on where it was; what changed since is graded again.

    \b
    Examples:
      grade batch hand-ins                              a summary
      grade batch submissions.zip --output marks.csv    a row a student
      grade batch hand-ins --report class.html          a page for the lecture
      grade batch hand-ins --format canvas --roster export.csv --output import.csv

    Exit status: 0 all were graded, whatever their scores, 2 some could not be, or nothing could.
    """  # noqa: D301 - click wants a real \b
    output = None if str(output) in STANDARD_OUTPUT else output
    style = style or (STYLES.get(output.suffix) if output else None)
    shape = Shape(style, roster, column)
    _check(shape, output, report, against, path)
    course = course_at(course_path)
    from grader.batch import Batch
    from grader.handed_in import handed_in

    with stoppable(), handed_in(path, course.name) as work:
        entries = work.entries()  # first: where there is nothing to grade, nothing is left behind
        _say_what_was_left_out(work.left_out)
        terms = _terms(course, path, seed)
        with _ledger(_kept(style, output, path), fresh) as ledger:
            gone = 0 if fresh else _without_others(ledger, {entry.name for entry in entries})
            with _crew(dask, workers) as crew, shown_progress(len(entries)) as progress:
                tally = Batch(course, terms, crew, ledger, progress).run(_taken_from(entries), work.read)
            ledger.tidy()
            _say_what_was_taken_out(gone)
            show(ledger, shape, output, against)
            if report is not None:
                write_report(ledger, course, report)
    if tally.failed:
        warn("some were not graded, which is not their doing; the same command tries again.")
        sys.exit(2)


def _without_others(ledger: Ledger, submissions: set[str]) -> int:
    """Leave aside what is not there any more, and count it. Raises UsageError where nothing else is there."""
    ledger.refuse_others(submissions)
    return ledger.forget_others(submissions)


def _taken_from(entries: list[Entry]) -> Iterator[Entry]:
    """One after the other, each let go of: a class is large, and by then the ledger knows of it."""
    entries.reverse()
    while entries:
        yield entries.pop()


def _check(shape: Shape, output: Path | None, report: Path | None, against: Path | None, path: Path) -> None:
    """Say before any work is done what could not be done with its result. Raises UsageError."""
    style = shape.style
    for file in filter(None, (output, report)):
        check_writable(file)
    if output is not None and style is None:
        raise UsageError(
            "its name does not say in which format", where=str(output), remedy=f"Add --format {'|'.join(FORMATS)}."
        )
    _check_own(_kept(style, output, path), against, report, output if style != "json" else None)
    _check_roster(shape)
    if against is not None:
        _check_against(against, style, output)


def _check_own(results: Path, against: Path | None, *others: Path | None) -> None:
    """Each result has a file of its own, and none takes the place of what was graded."""
    if against is not None and against.resolve() in {file.resolve() for file in (results, *others) if file}:
        remedy = "Copy it before you grade, and give the copy: --against COPY."
        raise UsageError("this is written anew, so that nothing can move against it", where=str(against), remedy=remedy)
    seen = {results.resolve()}
    for file in filter(None, others):
        if file.resolve() in seen:
            raise UsageError("this is wanted for two things", where=str(file), remedy="Give each a file of its own.")
        seen.add(file.resolve())


def _check_roster(shape: Shape) -> None:
    style, roster = shape.style, shape.roster
    if style == "canvas" and roster is None:
        raise UsageError(
            "Canvas takes back its own export, with one column filled in",
            remedy="Export the gradebook from Canvas, and add --roster FILE.",
        )
    if roster is not None and style not in ("canvas", "moodle"):
        remedy = "Add --format canvas or --format moodle."
        raise UsageError("a roster is filled in for Canvas or Moodle alone", where=str(roster), remedy=remedy)
    if shape.column is not None and (style not in ("canvas", "moodle") or not shape.column.strip()):
        remedy = "Add --format canvas or --format moodle, and the column's name."
        raise UsageError("--column names a column for Canvas or Moodle", remedy=remedy)
    if roster is not None:
        filled([], shape)


def _check_against(against: Path, style: str | None, output: Path | None) -> None:
    from grader.ledger import check_results

    if not against.exists():
        remedy = f"It is what an earlier `grade batch` kept in {KEPT}, or a copy of that."
        raise UsageError("there is no such file", where=str(against), remedy=remedy)
    check_results(against, f"Give what an earlier `grade batch` kept in {KEPT}, or a copy of that.")
    if style is not None and output is None:
        raise UsageError("who moves is said in the summary, which is not shown here", remedy="Add --output FILE.")


def _terms(course: Course, path: Path, seed: int | None) -> Terms:
    """What is graded with. Raises GraderError where the class's seed cannot be read or made."""
    from grader.course import default_root
    from grader.desk import Terms
    from grader.seed import secret_seed

    where = (
        "" if course.root == default_root().resolve() else str(course.root)
    )  # other machines have the package elsewhere
    if seed is not None:
        return Terms(where, seed, counts=True)
    return Terms(where, secret_seed(_beside(path) / SEED), secret=True, counts=True)


def _beside(path: Path) -> Path:
    """The instructor's folder: the one that PATH lies in, or an nbgrader course itself."""
    path = Path(os.path.abspath(path))  # noqa: PTH100 - the name that was given, not where a link leads
    return path if (path / "nbgrader_config.py").is_file() else path.parent


def _kept(style: str | None, output: Path | None, path: Path) -> Path:
    """Where the results are kept."""
    name = Path(os.path.abspath(path)).name  # noqa: PTH100 - as above
    return output if style == "json" and output else _beside(path) / f"{name}{ENDING}"


def _ledger(kept: Path, fresh: bool) -> AbstractContextManager[Ledger]:
    from grader.ledger import open_ledger

    return open_ledger(kept, fresh=fresh)


def _crew(dask: str | None, workers: int | None) -> AbstractContextManager[Crew]:
    if dask is None:
        from grader.crew import on_this_machine, processors

        return on_this_machine(workers or processors())
    if workers is not None:
        remedy = "Leave out --workers: a cluster grades as many at a time as its workers have threads."
        raise UsageError("--workers is for this machine, --dask for others", remedy=remedy)
    from grader.cluster import on_a_cluster

    return on_a_cluster(dask, warn)


def _say_what_was_left_out(names: list[str]) -> None:
    if names:
        more = f" and {len(names) - MOST_LEFT_OUT} more" if len(names) > MOST_LEFT_OUT else ""
        shown = f"{', '.join(names[:MOST_LEFT_OUT])}{more}"
        are = "is no submission and was left out" if len(names) == 1 else "are no submissions and were left out"
        warn(f"{shown} {are}")


def _say_what_was_taken_out(count: int) -> None:
    if count:
        are = "1 result of a submission that is" if count == 1 else f"{count} results of submissions that are"
        warn(f"{are} not there any more: taken out")
