"""The report in plain words: for pipes and screen readers. Every state is a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.render import maps_text, words
from grader.render.lines import wrapped
from grader.render.page import Check, Finding, Page, Section, page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.report import Map, Report

NARROWEST = 20


def render(report: Report, *, width: int = 80, show_output: bool = False) -> str:
    """`report` wrapped to `width` columns.

    Only lines to paste into Python may be longer, since a break would spoil them. `show_output` keeps all
    that failed checks printed instead of the first 20 lines.
    """
    lines = _page(page(report, show_output=show_output), max(width, NARROWEST))
    return "\n".join(lines) + "\n"


def _page(shown: Page, width: int) -> Iterator[str]:
    yield from wrapped(shown.title, width)
    if shown.submission:
        yield from wrapped(words.submitted(shown.submission), width, rest="  ")
    yield from _paragraph(shown.notice, width)
    yield ""
    for row in (*shown.rows, shown.total):
        yield from wrapped(row.sentence, width, rest="  ")
    yield from _paragraph(shown.praise, width)
    for section in shown.sections:
        yield from _section(section, width)
    if shown.next_step:
        yield from _paragraph(words.following(shown.next_step), width)
    yield from _paragraph("Graded with " + ", ".join(shown.receipt) + ".", width)


def _paragraph(text: str, width: int, first: str = "", rest: str = "") -> Iterator[str]:
    if text:
        yield ""
        yield from wrapped(text, width, first=first, rest=rest)


def _section(section: Section, width: int) -> Iterator[str]:
    yield from _paragraph(f"Exercise {section.name}: {section.score}", width)
    for fault in section.faults:
        yield from _paragraph(fault, width)
    for finding in section.findings:
        yield from _finding(finding, width)
    for each in section.maps:
        yield from _map(each, width)
    for check in section.checks:
        yield from _check(check, width)
    for sentence in section.not_run:
        yield from _paragraph(sentence, width)
    for note in section.notes:
        yield from _paragraph(words.noted(note), width, rest="  ")


def _check(check: Check, width: int) -> Iterator[str]:
    yield from _paragraph(f"{words.failed(check.title)} {check.lost}.", width, rest="  ")
    if check.message:
        yield from wrapped(check.message, width, first="  ")
    if check.alike:
        yield from wrapped(check.alike, width, first="  ")
    if check.printed:
        yield from wrapped(words.PRINTED, width, first="  ")
        yield from (line for text in check.printed for line in wrapped(text, width, first="    "))
    if check.more:
        yield from wrapped(check.more, width, first="    ")
    if check.example:
        yield from wrapped(words.PASTE, width, first="  ")
        yield from check.example


def _finding(finding: Finding, width: int) -> Iterator[str]:
    yield from _paragraph(f"{finding.certainty}: {finding.title}.", width, rest="  ")
    if finding.explanation:
        yield from wrapped(finding.explanation, width, first="  ")
    if finding.evidence:
        yield from wrapped(words.SHOWN, width, first="  ")
        yield from finding.evidence
        yield from wrapped(words.GIVES, width, first="  ")
        yield from (line for text in finding.got.split("\n") for line in wrapped(text, width, first="    "))
    if finding.gain:
        yield from wrapped(finding.gain, width, first="  ")


def _map(each: Map, width: int) -> Iterator[str]:
    yield from _paragraph(words.mapped(each), width, rest="  ")
    for line in maps_text.compared(each, width):
        yield "".join(text for text, _ in line).rstrip()
