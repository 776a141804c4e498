"""The marks of a class: in the format that was asked for, summed up to be read, and as a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.output import write
from grader.cli.screen import say_what_can_be_said, warn, width
from grader.errors import GraderError, UsageError

if TYPE_CHECKING:
    from grader.course import Course
    from grader.ledger import Ledger
    from grader.records import Record


@dataclass(frozen=True, slots=True)
class Shape:
    """The form in which a class's marks are wanted; no `style` is a summary alone."""

    style: str | None
    roster: Path | None = None
    column: str | None = None  # the assignment's, where it is not called as the course is


def show(ledger: Ledger, shape: Shape, output: Path | None, against: Path | None) -> None:
    """The results in the format asked for; the summary, where standard output is not needed for them."""
    style = shape.style
    text = "" if style == "json" and output else _text(ledger, shape)
    if style is not None and output is None:
        _print(line.encode() for line in text)  # bytes: for a platform, whatever a terminal can show
        return
    if output is not None and style != "json":
        write(output, "".join(text))
    say_summary(ledger, against)
    where = output or ledger.path
    warn(f"the results are in {where}")


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


def _text(ledger: Ledger, shape: Shape) -> Iterator[str]:
    import json

    match shape.style:
        case "json":
            yield from (json.dumps(record) + "\n" for record in ledger.records())
        case "csv":
            from grader.render import marks_csv

            yield from marks_csv.text(ledger.records())
        case "canvas" | "moodle":
            title = next((record["title"] for record in ledger.records()), "")
            text, notes = filled(ledger.records(), shape, title)
            for note in notes:
                warn(note)
            yield text


def filled(records: Iterable[Record], shape: Shape, title: str = "") -> tuple[str, tuple[str, ...]]:
    """What a platform takes, and notes on whom it could not be said of. Raises UsageError."""
    from grader.render import canvas, moodle
    from grader.render.roster import Unfilled

    roster, column = shape.roster, shape.column or title
    listed = _roster(roster) if roster else None
    try:
        return (
            moodle.text(records, listed, column)
            if shape.style == "moodle"
            else canvas.fill(listed or "", records, column)
        )
    except Unfilled as error:
        raise UsageError(str(error), where=str(roster or ""), remedy=error.remedy) from error
    except ValueError as error:
        raise UsageError(
            str(error), where=str(roster or ""), remedy="Export it anew, and change nothing in it."
        ) from error


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


def write_report(ledger: Ledger, course: Course, report: Path) -> None:
    """The page on the class, with the course's own results beside the students'."""
    from grader.class_summary import summarise
    from grader.evidence import right_result
    from grader.render import class_html

    write(report, class_html.document(summarise(ledger.records()), right_result(course)))
    warn(f"the page on the class is {report}")
