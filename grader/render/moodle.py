"""A class's marks as CSV for Moodle's grade import: an e-mail address, a grade and a feedback a student.

What Moodle reads is in https://github.com/moodle/moodle: grade/import/csv/classes/load_data.php, and in
https://docs.moodle.org/en/Grade_import.
"""

from __future__ import annotations

import csv
import html
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.render import words
from grader.render.characters import visible
from grader.render.lines import one_line, shortened
from grader.render.roster import Unfilled, listed, naming, nobody, numbered, shared, some, squeezed
from grader.report import Mistake

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from grader.records import Record

NO_ADDRESSES = "this list has no column of e-mail addresses"
EMAIL = "Email address"
ACCOUNTS = ("id number", "username")
MOST = 100  # points a grade may have, unless the site allows more (unlimitedgrades)
FEEDBACK_LENGTH = 1000
ALL_RIGHT = "Full marks. Well done."
NO_LIST = (
    "Add --roster FILE, with the participants or the assignment's grading worksheet as Moodle exports them. "
    "What was graded is kept."
)
THEIR_NAMES = (
    "Is it the list of this class? The submissions have to be called by an e-mail address or what stands before its @, "
    "an id number, a user name or a full name of the list. What was graded is kept."
)

# An address that begins with a letter or a digit: others would be a formula to a spreadsheet.
_EMAIL = re.compile(r"[^\W_][^\s@,;\"]*@[^\W_][^\s@,;\"]*", re.ASCII)
_SUBMISSION = re.compile(r" --submission [^`]+")  # where the work lies on the teacher's machine, not on the student's
_PARTICIPANT = re.compile(r"\D+(\d+)")


class Mark(NamedTuple):
    """What is kept of a record; `grade` is empty where the grader failed."""

    student: str
    grade: str
    feedback: str


@dataclass(frozen=True, slots=True)
class Roster:
    """The addresses by what may name a student: the address, an account, a participant's number, a name.

    `shown` are names to be read; what stands before the @ of an address is `local`.
    """

    emails: list[str]
    names: list[str]
    shown: list[str]
    by_email: dict[str, set[int]]
    by_account: dict[str, set[int]]
    by_number: dict[str, set[int]]
    by_name: dict[str, set[int]]
    by_local: dict[str, set[int]]

    def rows(self, student: str) -> set[int]:
        """The rows that may be this student's, by the best of what is known."""
        key = student.strip().casefold()
        if known := self.by_email.get(key, set()) or self.by_account.get(key, set()):
            return known
        return self._named(student) or self.by_local.get(key, set())

    def _named(self, student: str) -> set[int]:
        name, number = numbered(student)
        name = squeezed(name or student)
        if number and self.by_number:  # what stands before the name is the group's
            return {row for row in self.by_number.get(number, set()) if name.endswith(self.names[row])}
        return self.by_name.get(name, set())


def text(records: Iterable[Record], roster_text: str | None, title: str = "") -> tuple[str, tuple[str, ...]]:
    """The file, and notes on who is not in it. `title` is what its columns are called; the course's where it is "".

    `roster_text` is a grading worksheet, the list of participants or the gradebook, each as Moodle exports it.
    Without one only ids that are addresses can be used. Moodle stops at a user it does not know, so whoever is
    not found in the roster is left out. So is a student at whose work the grader failed: a row with no grade in
    it would take away the one Moodle has. Grade and feedback are always both there, as the import wants them.

    Raises ValueError where the roster has no addresses, Unfilled where none of the submissions has an address.
    """
    roster = _roster(roster_text) if roster_text is not None else None
    course, max_score, marks = _marks(records)
    title = one_line(visible(title)) or course
    choices = [_emails(mark.student, roster) for mark in marks]
    found = {place: email for place, choice in enumerate(choices) if len(choice) == 1 for email in choice}
    twice = shared({place: email.casefold() for place, email in found.items()})
    if marks and not found.keys() - twice:
        raise _unfilled(marks, choices, twice, roster)
    rows = ((email, *marks[place][1:]) for place, email in found.items() if place not in twice and marks[place].grade)
    notes = (
        *_too_many(max_score),
        *_notes(marks, choices, twice, has_roster=roster is not None),
        *(_missing(roster, choices) if roster is not None else ()),
    )
    return _table([(EMAIL, f"{title} (points)", f"{title} (feedback)"), *rows]), notes


def _table(rows: Iterable[Sequence[str]]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue()


def _unfilled(marks: Sequence[Mark], choices: Sequence[set[str]], twice: set[int], roster: Roster | None) -> Unfilled:
    """Why nobody would be in the file."""
    students = [mark.student for mark in marks]
    if any(choices):
        notes = " ".join(_unknown(marks, choices, twice, has_roster=roster is not None))
        return Unfilled(f"nobody would be in the file. {notes}", THEIR_NAMES if roster is not None else NO_LIST)
    if roster is None:
        return Unfilled(f"no address is known of any of these submissions: they are called {some(students)}", NO_LIST)
    return Unfilled(nobody(students, roster.emails), THEIR_NAMES)


def _missing(roster: Roster, choices: Sequence[set[str]]) -> tuple[str, ...]:
    fitting = {email.casefold() for choice in choices for email in choice}
    pairs = zip(roster.shown, roster.emails, strict=True)
    return naming(
        "No submission was found of these students, and what Moodle has stays as it is",
        (name or email for name, email in pairs if email.casefold() not in fitting),
    )


def _too_many(max_score: float) -> Iterator[str]:
    if max_score > MOST:
        yield (
            f"The marks are out of {words.number(max_score)}, and Moodle takes no grade above {MOST} "
            "unless its setting unlimitedgrades is on."
        )


def _notes(marks: Sequence[Mark], choices: Sequence[set[str]], twice: set[int], *, has_roster: bool) -> Iterator[str]:
    yield from _unknown(marks, choices, twice, has_roster=has_roster)
    yield from naming(
        "The grader failed on these submissions; they are not in the file, so what Moodle has stays as it is",
        (mark.student for mark in marks if not mark.grade),
    )


def _unknown(marks: Sequence[Mark], choices: Sequence[set[str]], twice: set[int], *, has_roster: bool) -> Iterator[str]:
    """Of which submissions it is not known whose they are."""
    places = range(len(marks))
    yield from naming(
        "No student in the list fits these submissions, and they are not in the file"
        if has_roster
        else "No address is known for these submissions, and they are not in the file; give --roster with the "
        "assignment's grading worksheet or the participants as Moodle exports them",
        (marks[place].student for place in places if not choices[place]),
    )
    yield from naming(
        "More than one student in the list fits these submissions, and they are not in the file",
        (marks[place].student for place in places if len(choices[place]) > 1),
    )
    yield from naming(
        "These submissions fit one and the same student, and are not in the file",
        (marks[place].student for place in sorted(twice)),
    )


# ── the marks ──────────────────────────────────────────────────────────────────────────────────────


def _marks(records: Iterable[Record]) -> tuple[str, float, list[Mark]]:
    """The course's title, what the marks are out of, and what is needed of each record."""
    title, max_score, marks = "", 0.0, []
    for record in records:
        title = title or one_line(visible(record.get("title") or record["course"]))
        max_score = max(max_score, record["max_score"])
        grade = words.number(record["score"]) if record["graded"] else ""
        marks.append(Mark(record["student"], grade, _feedback(record) if grade else ""))
    return title or "Grade", max_score, marks


def _feedback(record: Record) -> str:
    """One paragraph: the mistakes and the next step.

    Moodle shows it as HTML (FORMAT_MOODLE), and its reader of CSV knows a backslash that quotes: so as HTML it is
    written, without quotation marks and backslashes.
    """
    told = [mistake for exercise in record["exercises"] for mistake in _mistakes(exercise)]
    step = _SUBMISSION.sub("", record.get("next_step") or "")
    if all(exercise["status"] == "passed" for exercise in record["exercises"]):
        told = [ALL_RIGHT, step] if step else [words.PRAISE]  # the step says by itself what was passed
    elif step:
        told.append(words.following(step))
    plain = shortened(" ".join(visible(" ".join(told)).split()), FEEDBACK_LENGTH)
    return html.escape(plain).replace("\\", "&#92;")


def _mistakes(exercise: Mapping[str, Any]) -> Iterator[str]:
    for each in exercise["mistakes"]:
        mistake = Mistake(each["code"], each["certainty"], each["title"], "")
        yield f"{words.certainty(mistake)} in {exercise['name']}: {one_line(mistake.title).rstrip('.')}."


# ── who is who ─────────────────────────────────────────────────────────────────────────────────────


def _emails(student: str, roster: Roster | None) -> set[str]:
    """The addresses that may be this student's."""
    if roster is not None:
        return {roster.emails[row] for row in roster.rows(student)}
    return {student.strip()} if _EMAIL.fullmatch(student.strip()) else set()


def _roster(text: str) -> Roster:
    header, rows = _cells(text)
    at = _email_column(header, rows)
    rows = [row for row in rows if _EMAIL.fullmatch(row[at])]
    numbers = [found[1] for row in rows if (found := _PARTICIPANT.fullmatch(row[0]))] if at else []
    worksheet = len(numbers) == len(rows)
    columns = _name_columns(header, at, first=int(worksheet))
    names = [[row[column] for column in columns] for row in rows]
    accounts = [column for column, name in enumerate(header) if name in ACCOUNTS]
    return Roster(
        emails=[row[at] for row in rows],
        names=[squeezed("".join(name)) for name in names],
        shown=[" ".join(filter(None, name)) for name in names],
        by_email=listed((row[at].casefold(), place) for place, row in enumerate(rows)),
        by_account=listed((row[column].casefold(), place) for place, row in enumerate(rows) for column in accounts),
        by_number=listed((number, place) for place, number in enumerate(numbers) if worksheet),
        by_name=listed((squeezed("".join(way)), place) for place, name in enumerate(names) for way in _ways(name)),
        by_local=listed((row[at].partition("@")[0].casefold(), place) for place, row in enumerate(rows)),
    )


def _ways(name: list[str]) -> tuple[list[str], list[str]]:
    """First and last name in both orders: which one a site shows is its own choice."""
    return name, name[::-1]


def _cells(text: str) -> tuple[list[str], list[list[str]]]:
    """The header in lower case and the other rows, all equally long."""
    text = text.removeprefix("\ufeff")
    separator = max(",;\t", key=text.partition("\n")[0].count)
    rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator)]
    width = max(map(len, rows), default=0)
    filled = [row + [""] * (width - len(row)) for row in rows]
    return [name.casefold() for name in filled[0]] if filled else [], filled[1:]


def _email_column(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """The column called so in English, else the one of which most cells are addresses."""
    if EMAIL.casefold() in header:
        return header.index(EMAIL.casefold())
    counts = [sum(bool(_EMAIL.fullmatch(row[column])) for row in rows) for column in range(len(header))]
    if not any(counts):
        raise ValueError(NO_ADDRESSES)
    return counts.index(max(counts))


def _name_columns(header: Sequence[str], email: int, *, first: int) -> list[int]:
    """Full name, or first and last name; in other languages what stands before the address, as it does in English."""
    for names in (("full name",), ("first name", "last name"), ("first name", "surname")):
        if all(name in header for name in names):
            return [header.index(name) for name in names]
    return list(range(first, min(first + 2, email)))
