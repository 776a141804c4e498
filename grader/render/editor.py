"""The report for an editor: a line a problem that it can jump to, `FILE:LINE: error: …`, then the plain report.

The form is that of https://www.gnu.org/prep/standards/html_node/Errors.html, which editors know without being told.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grader.render import plain
from grader.render.lines import one_line
from grader.render.page import page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from grader.render.page import Check, Finding, Page, Section
    from grader.report import Report

    Place = tuple[str, int]

# How messages name a place in the student's own files: "softmax.py, line 12: e = np.exp(x)".
_PLACE = re.compile(r"(?:^|: )(?P<file>[^\s:][^:\n]*\.py), line (?P<line>\d+)(?P<code>:[^\n]*\n)?", re.MULTILINE)


def render(
    report: Report, places: Mapping[str, Place], *, folder: str = "", width: int = 80, show_output: bool = False
) -> str:
    """`report` with its problems first, unwrapped, one a line.

    `places` says by exercise where its function is defined, where what failed at no line of its own is put. `folder`
    is what to put before the names of the submission's files, "" or with its slash at the end.
    """
    lines = [f"{folder}{line}" for line in _lines(page(report), places)]
    text = plain.render(report, width=width, show_output=show_output)
    return "\n".join([*lines, "", text]) if lines else text


def _lines(shown: Page, places: Mapping[str, Place]) -> Iterator[str]:
    for row in shown.rows:
        if row.kind == "not-implemented":
            yield _line(places[row.name], "warning", row.sentence)
    for section in shown.sections:
        yield from _section(section, places[section.name])


def _section(section: Section, place: Place) -> Iterator[str]:
    for finding in section.findings:
        yield _line(place, "error", _found(finding))
    for check in section.checks:
        found, message = _placed(check.message, place)
        yield _line(found, "error", _failed(check, message))
    for sentence in section.not_run:
        yield _line(_placed(sentence, place)[0], "error", sentence)
    for note in section.notes:
        yield _line(_placed(note, place)[0], "warning", note)


def _found(finding: Finding) -> str:
    return f"{finding.certainty}: {finding.title}. {finding.gain}"


def _failed(check: Check, message: str) -> str:
    return f"{check.title} ({check.lost}): {message}" if message else f"{check.title} ({check.lost})"


def _placed(message: str, otherwise: Place) -> tuple[Place, str]:
    """The place a message names, and what it says of it; the other place where it names none."""
    found = _PLACE.search(message)
    if found is None:
        return otherwise, message
    rest = message[found.end() :] if found["code"] else message
    return (found["file"], int(found["line"])), rest


def _line(place: Place, severity: str, text: str) -> str:
    file, number = place
    return f"{file}:{number}: {severity}: {one_line(text)}"
