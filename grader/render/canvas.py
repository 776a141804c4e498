"""A class's marks in the teacher's own Canvas gradebook export: one column filled, all else as it was.

What Canvas writes and reads is in https://github.com/instructure/canvas-lms: lib/gradebook_exporter.rb,
lib/gradebook_importer.rb, and lib/content_zipper.rb for the names of submitted files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from grader.render import words
from grader.render.characters import visible
from grader.render.lines import one_line
from grader.render.roster import Unfilled, listed, naming, nobody, numbered, shared, sole, squeezed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from grader.records import Record

BYTE_ORDER_MARK = "\ufeff"
NOT_AN_EXPORT = "this is no gradebook exported from Canvas: its first row does not begin with Student,ID"
NAMES = (["Student"], ["LastName", "FirstName"])
ACCOUNTS = ("SIS User ID", "SIS Login ID")
KEPT = ("EX", "N/A")  # excused, and not assigned to the student
MOST_COLUMNS = 8  # that are named
THEIR_NAMES = (
    "Is it the gradebook of this class? The submissions have to be called as Canvas hands them out, or by an SIS ID, a "
    "login or a name of the export. What was graded is kept."
)
_HIDDEN = re.compile(r"\s*(Muted|Manual Posting.*)?\s*", re.IGNORECASE | re.DOTALL)
_WITH_ID = re.compile(r"(.*)\s\(\d+\)", re.DOTALL)


class Mark(NamedTuple):
    """What is kept of a record; no score where the grader failed."""

    student: str
    platform_id: str
    score: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """One row, its cells as they are written, quotes included, so that what is not changed stays to the letter."""

    raw: list[str]
    end: str

    def cell(self, column: int) -> str:
        """What the cell says; empty where the row is too short."""
        raw = self.raw[column].strip() if column < len(self.raw) else ""
        return (raw[1:-1].replace('""', '"') if len(raw) > 1 and raw[0] == raw[-1] == '"' else raw).strip()


@dataclass(frozen=True, slots=True)
class Gradebook:
    """An export, taken apart: `points` is the row of points possible, `students` are the rows of students."""

    rows: list[Row]
    separator: str
    header: list[str]
    points: int | None
    students: list[int]

    def column(self, name: str) -> int | None:
        """Where a column about the student stands."""
        about = self.header[: self.section + 1]
        return about.index(name) if name in about else None

    @property
    def section(self) -> int:
        """The last column about the student; what follows are the teacher's own columns, assignments and totals."""
        return self.header.index("Section") if "Section" in self.header else self.header.index("ID")

    def name(self, row: int) -> str:
        """`Last, First`."""
        width = 1 if self.header[:1] in NAMES else 2
        return ", ".join(self.rows[row].cell(column) for column in range(width))

    @property
    def comma(self) -> bool:
        """Whether numbers are written 8,50."""
        numbers = [row.cell(column) for row in self.rows[1:] for column in range(self.section + 1, len(row.raw))]
        return any(re.fullmatch(r"-?\d+,\d+", number) for number in numbers) and not any(
            re.fullmatch(r"-?\d+\.\d+", number) for number in numbers
        )


def fill(roster_text: str, records: Iterable[Record], title: str) -> tuple[str, tuple[str, ...]]:
    """The export with the marks in the column of the assignment `title`, and notes on what could not be done.

    `title` is the assignment's, with or without Canvas's number, as in `Attention (42)`; where there is no such
    column, one is added at the end. Marks have two decimals, as Canvas has them. A student is found by Canvas's
    id, by the id or login of the student information system, or by name. Who is not found, or could be two, is in
    the notes, and nothing is written for them; nor where the grader failed, nor over `EX` and `N/A`.

    Raises ValueError where `roster_text` is no export of a gradebook, Unfilled where the column cannot be filled in or
    none of the submissions is of a student in it. Its line ends and a BOM are kept, so read it with `newline=""`.
    """
    book, title = _gradebook(roster_text), " ".join(title.split())
    marks, max_score = _marks(records)
    columns = _columns(book.header, book.section, title)
    if title:  # it may not be known yet, where the export alone is looked at
        _check_column(book, columns, title)
    column = columns[0] if columns else len(book.header)
    choices = _choices(book, marks)
    taken = _taken(marks, choices)
    if marks and not taken:
        raise _unfilled(book, marks, choices)
    notes = (
        *_scale(book, columns, title, max_score),
        *_unmatched(marks, choices, taken),
        *_kept(book, column, taken),
        *_missing(book, choices),
    )
    comma = book.comma
    if not columns:
        _add(book, title, _number(max_score, comma=comma))
    for row, mark in taken.items():
        if mark.score is not None and book.rows[row].cell(column).upper() not in KEPT:
            _write(book, row, column, _number(mark.score, comma=comma))
    return _text(book, bom=roster_text.startswith(BYTE_ORDER_MARK)), notes


def _marks(records: Iterable[Record]) -> tuple[list[Mark], float]:
    """What is needed of each record, and what the marks are out of."""
    marks, max_score = [], 0.0
    for record in records:
        score = record["score"] if record["graded"] else None
        marks.append(Mark(record["student"], str(record.get("platform_id") or ""), score))
        max_score = max(max_score, record["max_score"])
    return marks, max_score


# ── the export, taken apart ────────────────────────────────────────────────────────────────────────


def _gradebook(text: str) -> Gradebook:
    for separator in (",", ";"):
        rows = list(_split(text.removeprefix(BYTE_ORDER_MARK), separator))
        header = [rows[0].cell(column) for column in range(len(rows[0].raw))] if rows else []
        if any(header[: len(names) + 1] == [*names, "ID"] for names in NAMES):
            return Gradebook(rows, separator, header, _points_row(rows), list(_student_rows(rows)))
    raise ValueError(NOT_AN_EXPORT)


def _split(text: str, separator: str) -> Iterator[Row]:
    # A quoted part may hold anything; a quote that is never closed is a letter like any other.
    cell = re.compile(rf'((?:"(?:[^"]|"")*+"|[^"{separator}\r\n]|")*+)({separator}|\r\n|\r|\n|\Z)')
    raw: list[str] = []
    for found in cell.finditer(text):
        raw.append(found[1])
        if found[2] != separator:
            if raw != [""] or found[2]:
                yield Row(raw, found[2])
            raw = []


def _points_row(rows: Sequence[Row]) -> int | None:
    return next((number for number, row in enumerate(rows[:4]) if "Points Possible" in row.cell(0)), None)


def _student_rows(rows: Sequence[Row]) -> Iterator[int]:
    points = _points_row(rows)
    for number, row in enumerate(rows):
        says_nothing = all(_HIDDEN.fullmatch(row.cell(column)) for column in range(len(row.raw)))
        if number not in (0, points) and not says_nothing:
            yield number


def _columns(header: Sequence[str], section: int, title: str) -> list[int]:
    """The columns of the assignment: of this very header, else of this title."""
    assignments = range(section + 1, len(header))
    return [column for column in assignments if header[column] == title] or [
        column for column in assignments if _plain(header[column]) == _plain(title)
    ]


def _plain(header: str) -> str:
    """The title without Canvas's number, for comparing."""
    found = _WITH_ID.fullmatch(header)
    return " ".join((found[1] if found else header).split()).casefold()


def _check_column(book: Gradebook, columns: Sequence[int], title: str) -> None:
    """Raises Unfilled where it is not clear which column is meant, or Canvas would not take it."""
    if len(columns) > 1:
        choice = ", ".join(f'"{one_line(visible(book.header[column]))}"' for column in columns)
        remedy = f"Give --column with a whole name: {choice}."
        raise Unfilled(f"{len(columns)} columns have this title", remedy)
    if columns and _is_read_only(book, columns[0]):
        problem = f'Canvas calculates the column "{one_line(visible(title))}" itself (read only)'
        raise Unfilled(problem, "Give --column with the name of another.")


def _unfilled(book: Gradebook, marks: Sequence[Mark], choices: Sequence[set[int]]) -> Unfilled:
    """Why nobody's mark would be in the file."""
    if any(choices):
        notes = " ".join(_unmatched(marks, choices, {}))
        return Unfilled(f"nobody's mark would be in the file. {notes}", THEIR_NAMES)
    students = [mark.student for mark in marks]
    return Unfilled(nobody(students, [book.name(row) for row in book.students]), THEIR_NAMES)


# ── who is who ─────────────────────────────────────────────────────────────────────────────────────


def _choices(book: Gradebook, marks: Sequence[Mark]) -> list[set[int]]:
    """For every mark the rows that may be its student's, by the best of what is known."""
    ids = listed(_keys(book, ("ID",)))
    accounts = listed((key.casefold(), row) for key, row in _keys(book, ACCOUNTS))
    names = listed((squeezed(book.name(row)), row) for row in book.students)

    def choice(mark: Mark) -> set[int]:
        if mark.platform_id:  # in a file's name, where what stands before it is a name that students may choose
            name = squeezed(mark.student.removesuffix(f"_{mark.platform_id}"))
            rows = ids.get(mark.platform_id, set())
            return rows & names.get(name, set()) if name else rows
        name, number = numbered(mark.student)
        both = ids.get(number, set()) & names.get(squeezed(name), set())
        account = accounts.get(mark.student.strip().casefold(), set())
        return both or account or names.get(squeezed(mark.student), set())

    return [choice(mark) for mark in marks]


def _keys(book: Gradebook, columns: Iterable[str]) -> Iterator[tuple[str, int]]:
    for name in columns:
        column = book.column(name)
        if column is not None:
            yield from ((book.rows[row].cell(column), row) for row in book.students)


def _taken(marks: Sequence[Mark], choices: Sequence[set[int]]) -> dict[int, Mark]:
    """The mark of each row that is one student's, and of no two submissions."""
    rows = {place: row for place, choice in enumerate(choices) if (row := sole(choice)) is not None}
    twice = shared(rows)
    return {row: marks[place] for place, row in rows.items() if place not in twice}


# ── what to tell ───────────────────────────────────────────────────────────────────────────────────


def _scale(book: Gradebook, columns: Sequence[int], title: str, max_score: float) -> Iterator[str]:
    """What Canvas takes the marks to be out of."""
    if not columns:
        yield f'The file had no column "{title}": one was added, and Canvas will ask what it is.{_instead(book)}'
    elif book.points is not None:
        points = book.rows[book.points].cell(columns[0])
        if points != _number(max_score, comma="," in points) and points != words.number(max_score):
            yield (
                f"Canvas has {points} points for this assignment, and these marks are out of "
                f"{words.number(max_score)}: set that in Canvas before you import."
            )


def _instead(book: Gradebook) -> str:
    """The columns that may have been meant: what has Canvas's number and can be filled in."""
    numbered = [
        f'"{name}"'
        for column, name in enumerate(book.header)
        if column > book.section and _WITH_ID.fullmatch(name) and not _is_read_only(book, column)
    ]
    if not numbered:
        return ""
    more = f" and {len(numbered) - MOST_COLUMNS} more" if len(numbered) > MOST_COLUMNS else ""
    shown = f"{', '.join(numbered[:MOST_COLUMNS])}{more}"
    return f" To fill in one that is there, name it with --column: {one_line(visible(shown))}."


def _is_read_only(book: Gradebook, column: int) -> bool:
    """Whether Canvas calculates a column itself."""
    return book.points is not None and "read only" in book.rows[book.points].cell(column)


def _unmatched(marks: Sequence[Mark], choices: Sequence[set[int]], taken: Mapping[int, Mark]) -> Iterator[str]:
    pairs = list(zip(marks, choices, strict=True))
    yield from naming(
        "No student in the file fits these submissions, and their marks are not in it",
        (mark.student for mark, choice in pairs if not choice),
    )
    yield from naming(
        "More than one student in the file fits these submissions, and nothing was written for them",
        (mark.student for mark, choice in pairs if len(choice) > 1),
    )
    yield from naming(
        "These submissions fit one and the same student, and nothing was written for them",
        (mark.student for mark, choice in pairs if len(choice) == 1 and sole(choice) not in taken),
    )


def _kept(book: Gradebook, column: int, taken: Mapping[int, Mark]) -> Iterator[str]:
    yield from naming(
        "The grader failed on these submissions, and what Canvas has stays as it is",
        (mark.student for mark in taken.values() if mark.score is None),
    )
    yield from naming(
        "These students are excused (EX) or not assigned (N/A) in Canvas, and stay so",
        (book.name(row) for row in taken if book.rows[row].cell(column).upper() in KEPT),
    )


def _missing(book: Gradebook, choices: Sequence[set[int]]) -> Iterator[str]:
    fitting = set().union(*choices)
    yield from naming(
        "No submission was found of these students, and what Canvas has stays as it is",
        (book.name(row) for row in book.students if row not in fitting),
    )


# ── what is written ────────────────────────────────────────────────────────────────────────────────


def _number(value: float, *, comma: bool) -> str:
    return f"{value:.2f}".replace(".", "," if comma else ".")


def _add(book: Gradebook, title: str, points: str) -> None:
    """One more column, as empty as can be, in every row that has any."""
    column = len(book.header)
    for number, row in enumerate(book.rows):
        if row.raw != [""]:
            _write(book, number, column, {0: title, book.points: points}.get(number, ""))


def _write(book: Gradebook, row: int, column: int, value: str) -> None:
    """Put `value` into a cell, in quotes where it needs them or where quotes are the custom there."""
    raw = book.rows[row].raw
    raw.extend([""] * (column + 1 - len(raw)))
    custom = raw[column].startswith('"') or (column == len(book.header) and book.rows[0].raw[0].startswith('"'))
    if custom or any(character in value for character in f'{book.separator}"\r\n'):
        value = '"' + value.replace('"', '""') + '"'
    raw[column] = value


def _text(book: Gradebook, *, bom: bool) -> str:
    return BYTE_ORDER_MARK * bom + "".join(book.separator.join(row.raw) + row.end for row in book.rows)
