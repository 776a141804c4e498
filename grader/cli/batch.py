"""`grade batch`."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from grader.cli.group import INTERRUPTED, SomePath, main, with_course
from grader.cli.output import check_writable, write
from grader.cli.screen import say_what_can_be_said, width
from grader.cli.work import course_at
from grader.errors import GraderError, UsageError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from grader.batch import Tally
    from grader.course import Course
    from grader.crew import Crew
    from grader.desk import Terms
    from grader.ledger import Ledger
    from grader.records import Record

FORMATS = ("json", "csv", "canvas", "moodle")
STYLES = {".json": "json", ".jsonl": "json", ".csv": "csv"}
SEED = Path(".grade", "seed")
STANDARD_OUTPUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
MOST_LEFT_OUT = 5  # names


@main.command()
@click.argument("path", type=SomePath(path_type=Path))
@click.option("--workers", type=click.IntRange(1), help="How many to grade at a time. Default: one a processor.")
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
    type=click.IntRange(0),
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
    fresh: bool,
    dask: str | None,
    course_path: Path | None,
) -> None:
    """Grade a whole class: every entry of a folder, or of a zip as Moodle, Canvas or Gradescope hand it out.

    Results are kept as they come, in PATH.grades.jsonl or the --output of --format json. Stopped for whatever reason,
    the same command goes on where it was; what changed since is graded again.

    \b
    Examples:
      grade batch hand-ins                              a summary, and hand-ins.grades.jsonl
      grade batch submissions.zip --output marks.csv    a row a student
      grade batch hand-ins --report class.html          a page to look at before the lecture
      grade batch hand-ins --format canvas --roster export.csv --output import.csv

    Exit status: 0 all were graded, whatever their scores; 2 some could not be, or nothing could.
    """  # noqa: D301 - click wants a real \b
    output = None if str(output) in STANDARD_OUTPUT else output
    style = style or (STYLES.get(output.suffix) if output else None)
    _check(style, output, report, roster, against, path)
    course = course_at(course_path)
    from grader.batch import Batch
    from grader.handed_in import handed_in

    with _stoppable(), handed_in(path, course.name) as work:
        entries = work.entries()  # first: where there is nothing to grade, nothing is left behind
        _say_what_was_left_out(work.left_out)
        terms = _terms(course, path, seed)
        with _ledger(_kept(style, output, path), fresh) as ledger:
            with _crew(dask, workers) as crew, shown_progress(len(entries)) as progress:
                tally = Batch(course, terms, crew, ledger, progress).run(entries, work.read)
            _say_what_was_taken_out(ledger.keep({entry.name for entry in entries}))
            _show(ledger, style, output, roster, against)
            if report is not None:
                _write_report(ledger, report)
    if tally.failed:
        click.echo("grade: some were not graded, which is not their doing; the same command tries again.", err=True)
        sys.exit(2)


@contextmanager
def _stoppable() -> Iterator[None]:
    """Ctrl-C and SIGTERM alike end a batch with all cleared away, and with a word on how it goes on."""
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    except KeyboardInterrupt as told:
        click.echo("grade: stopped; the same command goes on from there.", err=True)
        sys.exit(told.args[0] if told.args else INTERRUPTED)
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(number: int, _: object) -> NoReturn:
    raise KeyboardInterrupt(128 + number)


def _check(
    style: str | None, output: Path | None, report: Path | None, roster: Path | None, against: Path | None, path: Path
) -> None:
    """Say before any work is done what could not be done with its result. Raises UsageError."""
    for file in filter(None, (output, report)):
        check_writable(file)
    if output is not None and style is None:
        raise UsageError(
            "its name does not say in which format", where=str(output), remedy=f"Add --format {'|'.join(FORMATS)}."
        )
    _check_own(_kept(style, output, path), report, against, output if style != "json" else None)
    _check_roster(style, roster)
    if against is not None:
        _check_against(against, style, output)


def _check_own(results: Path, *others: Path | None) -> None:
    """Each result has a file of its own, and none takes the place of what was graded."""
    seen = {results.resolve()}
    for file in filter(None, others):
        if file.resolve() in seen:
            raise UsageError("this is wanted for two things", where=str(file), remedy="Give each a file of its own.")
        seen.add(file.resolve())


def _check_roster(style: str | None, roster: Path | None) -> None:
    if style == "canvas" and roster is None:
        raise UsageError(
            "Canvas takes back its own export, with one column filled in",
            remedy="Export the gradebook from Canvas, and add --roster FILE.",
        )
    if roster is not None and style not in ("canvas", "moodle"):
        remedy = "Add --format canvas or --format moodle."
        raise UsageError("a roster is filled in for Canvas or Moodle alone", where=str(roster), remedy=remedy)
    if roster is not None:
        _filled([], str(style), roster)


def _check_against(against: Path, style: str | None, output: Path | None) -> None:
    from grader.ledger import check_results

    check_results(against)
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
    return output if style == "json" and output else _beside(path) / f"{name}.grades.jsonl"


def _ledger(kept: Path, fresh: bool) -> AbstractContextManager[Ledger]:
    from grader.ledger import open_ledger

    return open_ledger(kept, fresh=fresh)


def _crew(dask: str | None, workers: int | None) -> AbstractContextManager[Crew]:
    from grader.crew import on_a_cluster, on_this_machine

    if dask is None:
        return on_this_machine(workers or _processors())
    if workers is not None:
        remedy = "Leave out --workers: a cluster grades as many at a time as its workers have threads."
        raise UsageError("--workers is for this machine, --dask for others", remedy=remedy)
    return on_a_cluster(dask, lambda text: click.echo(f"grade: {text}", err=True))


def _processors() -> int:
    """Those that this may run on, which on a shared machine are not all it has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _say_what_was_left_out(names: list[str]) -> None:
    if names:
        more = f" and {len(names) - MOST_LEFT_OUT} more" if len(names) > MOST_LEFT_OUT else ""
        shown = f"{', '.join(names[:MOST_LEFT_OUT])}{more}"
        are = "is no submission and was left out" if len(names) == 1 else "are no submissions and were left out"
        click.echo(f"grade: {shown} {are}", err=True)


def _say_what_was_taken_out(count: int) -> None:
    if count:
        are = "1 result of a submission that is" if count == 1 else f"{count} results of submissions that are"
        click.echo(f"grade: {are} not there any more: taken out", err=True)


@contextmanager
def shown_progress(total: int) -> Iterator[Callable[[Tally], None]]:
    """How far it is, how fast it goes and how long it takes yet, on stderr; nothing where that is no terminal."""
    if sys.stderr is None or not sys.stderr.isatty():  # None where it is closed
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = [BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[pace]}")]
    began = time.monotonic()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total, pace="")

        def show(tally: Tally) -> None:
            graded = tally.now + tally.failed  # what was there before took no time, and would make it look fast
            rate = graded / (time.monotonic() - began)
            bar.update(task, completed=tally.done, pace=_pace(rate, total - tally.done) if graded else "")

        yield show


def _pace(rate: float, left: int) -> str:
    """So many a second, and the time that the rest takes at that."""
    from datetime import timedelta

    return f"{rate:.{0 if rate >= 10 else 1}f} a second, {timedelta(seconds=round(left / rate))} left"


def _show(ledger: Ledger, style: str | None, output: Path | None, roster: Path | None, against: Path | None) -> None:
    """The results in the format asked for; the summary, where standard output is not needed for them."""
    text = "" if style == "json" and output else _text(ledger, style, roster)
    if style is not None and output is None:
        _print(line.encode() for line in text)  # bytes: for a platform, whatever a terminal can show
        return
    if output is not None and style != "json":
        write(output, "".join(text))
    say_summary(ledger, against)
    where = output or ledger.path
    click.echo(f"grade: the results are in {where}", err=True)


def _print(parts: Iterable[str | bytes]) -> None:
    """Put them on standard output. Raises GraderError where that takes no more."""
    try:
        for part in parts:
            click.echo(part, nl=False)
    except BrokenPipeError:
        raise
    except OSError as error:
        remedy = "What was graded is kept; make room, and run the same command again."
        raise GraderError(f"standard output cannot be written: {error.strerror}", remedy=remedy) from error


def _text(ledger: Ledger, style: str | None, roster: Path | None) -> Iterator[str]:
    import json

    match style:
        case "json":
            yield from (json.dumps(record) + "\n" for record in ledger.records())
        case "csv":
            from grader.render import marks_csv

            yield from marks_csv.text(ledger.records())
        case "canvas" | "moodle":
            title = next((record["title"] for record in ledger.records()), "")
            text, notes = _filled(ledger.records(), style, roster, title)
            for note in notes:
                click.echo(f"grade: {note}", err=True)
            yield text


def _filled(records: Iterable[Record], style: str, roster: Path | None, title: str = "") -> tuple[str, tuple[str, ...]]:
    """What a platform takes, and notes on whom it could not be said of. Raises UsageError."""
    from grader.render import canvas, moodle

    listed = _roster(roster) if roster else None
    try:
        return moodle.text(records, listed) if style == "moodle" else canvas.fill(listed or "", records, title)
    except ValueError as error:
        raise UsageError(str(error), where=str(roster), remedy="Export it anew, and change nothing in it.") from error


def _roster(path: Path) -> str:
    """The text of a file as it is, line ends too. Raises UsageError."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise UsageError(
            f"cannot be read: {error}", where=str(path), remedy="It is the CSV that was exported."
        ) from error


def say_summary(ledger: Ledger, against: Path | None) -> None:
    """How the class did, and against earlier results who moves."""
    from grader.class_summary import summarise
    from grader.ledger import read_records
    from grader.movement import movements
    from grader.render import class_plain

    moved = movements(read_records(against), ledger.records()) if against else None
    say_what_can_be_said()
    _print([class_plain.render(summarise(ledger.records()), moved, width=min(width(), 80))])


def _write_report(ledger: Ledger, report: Path) -> None:
    from grader.class_summary import summarise
    from grader.render import class_html

    write(report, class_html.document(summarise(ledger.records())))
    click.echo(f"grade: the page on the class is {report}", err=True)
