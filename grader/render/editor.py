"""The report for an editor: a line a problem that it can jump to, `FILE:LINE: error: …`, then the plain report.

The form is that of https://www.gnu.org/prep/standards/html_node/Errors.html, which editors know without being told.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grader.render import plain
from grader.render.characters import visible
from grader.render.lines import one_line
from grader.render.page import page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from grader.render.page import Check, Finding, Page, Section
    from grader.report import Report

    Place = tuple[str, int]

PROBLEM = r"^(\S.*?\.\w+):(\d+): (error|warning): (.*)$"  # how editors take a line to pieces: JavaScript reads it too


def render(
    report: Report,
    places: Mapping[str, Place],
    *,
    files: Iterable[str] = (),
    folder: str = "",
    width: int = 80,
    show_output: bool = False,
) -> str:
    """`report` with its problems first, unwrapped, one a line; the points they tell of add up to what was lost.

    `places` says by exercise where its function is defined, where what failed at no line of its own is put. `files`
    are the others that messages may name a line of. `folder` is what to put before the names of the submission's
    files, "" or with its slash at the end.
    """
    problems = _Problems(places, files, folder)
    lines = list(problems.lines(page(report)))
    text = plain.render(report, width=width, show_output=show_output)
    return "\n".join([*lines, "", text]) if lines else text


class _Problems:
    def __init__(self, places: Mapping[str, Place], files: Iterable[str], folder: str) -> None:
        self.places = places
        self.folder = folder
        # How messages name a place: "softmax.py, line 12: e = np.exp(x)". A name may have anything in it, ": " too,
        # so that only one that is known can be told from the words before it.
        names = sorted({*files, *(file for file, _ in places.values())}, key=len, reverse=True)
        known = "|".join(map(re.escape, names))
        self.place = re.compile(rf"(?:^|: )({known}), line ([0-9]{{1,9}})(:[^\n]*\n)?", re.MULTILINE)

    def lines(self, shown: Page) -> Iterator[str]:
        for row in shown.rows:
            if row.kind == "not-implemented":
                yield self._line(self.places[row.name], "warning", row.sentence)
        for section in shown.sections:
            yield from self._section(section, self.places[section.name])

    def _section(self, section: Section, place: Place) -> Iterator[str]:
        for finding in section.findings:
            yield self._line(place, "error", _found(finding))
        for check in section.checks:
            found, message = self._placed(check.message, place)
            yield self._line(found, "error", _failed(check, message))
        for sentence in section.not_run:
            yield self._line(self._placed(sentence, place)[0], "error", sentence)
        for note in section.notes:
            yield self._line(self._placed(note, place)[0], "warning", note)

    def _placed(self, message: str, otherwise: Place) -> tuple[Place, str]:
        """The place a message names, and what it says of it; the other place where it names none."""
        found = self.place.search(message)
        if found is None:
            return otherwise, message
        file, line, code = found.groups()
        return (file, int(line)), message[found.end() :] if code else message

    def _line(self, place: Place, severity: str, text: str) -> str:
        """The problem at its place; without one where an editor would not read the file's name back as it is."""
        file, number = f"{self.folder}{place[0]}", place[1]
        told = f"{severity}: {one_line(text)}"
        line = f"{file}:{number}: {told}"
        found = re.match(PROBLEM, line)
        return line if found and found[1] == file == visible(file) else told


def _found(finding: Finding) -> str:
    return f"{finding.certainty}: {finding.title}. {finding.gain}"


def _failed(check: Check, message: str) -> str:
    return f"{check.title} ({check.lost_alike}): {message}" if message else f"{check.title} ({check.lost_alike})"
