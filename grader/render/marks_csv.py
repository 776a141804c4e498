"""A class's marks as CSV, for a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from grader.render.characters import visible
from grader.render.lines import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from grader.records import Record

MOST_OF_NOTES = 1000  # characters of a cell
# Without it Excel takes UTF-8 for the machine's old code page and spoils every name beyond ASCII; LibreOffice,
# Google Sheets and pandas skip it, Python reads it as "utf-8-sig". Scripts have JSON Lines.
BYTE_ORDER_MARK = "\ufeff"

# What a spreadsheet takes for a formula, by https://owasp.org/www-community/attacks/CSV_Injection: these characters
# at the start, also full-width, or a control character there. Also behind spaces, which are trimmed, and behind
# what a spreadsheet set to another separator takes for the end of a cell.
_FORMULA = re.compile(r"""^(?=[\t\r\n\0])|(?:^|[;,\t\r\n])(?=[\s"']*[=+\-@＝＋－＠])""")


def text(records: Iterable[Record]) -> Iterator[str]:
    """The table line by line, the lines with their ends (CRLF, as RFC 4180 has it), the first with a BOM."""
    for number, row in enumerate(rows(records)):
        line = io.StringIO(newline="")
        csv.writer(line).writerow(row)
        yield line.getvalue() if number else BYTE_ORDER_MARK + line.getvalue()


def rows(records: Iterable[Record]) -> Iterator[tuple[str, ...]]:
    """The header and a row a record, every cell safe to open in a spreadsheet.

    Where the grader failed, the score is empty and `graded` says no. The exercises are those of the first record
    that has any; only the records before it, which have next to nothing in them, are kept.
    """
    stream = iter(records)
    kept: list[Record] = []
    for record in stream:
        kept.append(record)
        if record["exercises"]:
            break
    names = [exercise["name"] for record in kept for exercise in record["exercises"]]
    yield ("student", "score", "max_score", *map(safe, names), "mistakes", "graded", "submission", "notes")
    for record in chain(kept, stream):
        yield _row(record, names)


def _row(record: Record, names: Sequence[str]) -> tuple[str, ...]:
    exercises = {exercise["name"]: exercise for exercise in record["exercises"]}
    codes = (mistake["code"] for exercise in record["exercises"] for mistake in exercise["mistakes"])
    return (
        safe(record["student"]),
        _points(record["score"]) if record["graded"] else "",
        _points(record["max_score"]),
        *(_exercise(exercises.get(name)) for name in names),
        safe(" ".join(dict.fromkeys(codes))),
        "yes" if record["graded"] else "no",
        safe(record["submission"]),
        _notes(record),
    )


def _notes(record: Record) -> str:
    """What was said of the submission beside its checks, each thing once, on one line."""
    said = dict.fromkeys(" ".join(note.split()) for exercise in record["exercises"] for note in exercise["notes"])
    return safe(shortened(visible(" | ".join(said)), MOST_OF_NOTES))


def _exercise(exercise: Mapping[str, Any] | None) -> str:
    if exercise is None or exercise["status"] == "not-graded":
        return ""
    return _points(exercise["score"])


def _points(value: float) -> str:
    """As the report has it, without idle zeros, so that the exercises add up to the score."""
    return f"{round(value, 6) + 0.0:.6f}".rstrip("0").rstrip(".")


def safe(cell: str) -> str:
    """`cell` with an apostrophe before what a spreadsheet would run, and nothing in it that does not print."""
    return visible(_FORMULA.sub(r"\g<0>'", cell))
