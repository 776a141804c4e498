"""The report drawn for a terminal, with bars and a few of the sixteen colours the reader's theme defines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from grader.render import maps_text, words
from grader.render.lines import cells, padded, wrapped
from grader.render.page import Check, Finding, Page, Row, Section, page

if TYPE_CHECKING:
    from grader.report import Map, Report

NARROWEST, WIDEST = 20, 100
SHORTEST_BAR, LONGEST_BAR = 5, 36
SHORTEST_TITLE = 24
COLOURS = {"passed": "green", "failed": "red", "not-implemented": "dim", "not-graded": "magenta"}

# Everything drawn is a Text made of plain strings: markup in a stranger's words is never read as markup.
Lines = Iterator[Text]
Columns = tuple[int, int, int, int]
GAP = "   "


def render(report: Report, *, width: int, colour: bool = True, show_output: bool = False) -> str:
    """`report` drawn `width` columns wide (at most 100 are used), with ANSI codes unless `colour` is false.

    Lines to paste into Python are never broken and begin in the first column, so that they can be pasted.
    """
    return drawn(_page(page(report, show_output=show_output), min(max(width, NARROWEST), WIDEST)), colour=colour)


def drawn(lines: Iterable[Text], *, colour: bool) -> str:
    """Lines as a terminal takes them, with ANSI codes unless `colour` is false."""
    text = StringIO()
    console = _console(text, colour=colour)
    for line in lines:
        line.rstrip()
        console.print(line, soft_wrap=True)
    return text.getvalue()


def _console(file: StringIO, *, colour: bool) -> Console:
    return Console(
        file=file,
        width=WIDEST,
        height=25,
        force_terminal=True,
        force_jupyter=False,
        color_system="standard" if colour else None,
        legacy_windows=False,
        markup=False,
        highlight=False,
        emoji=False,
        _environ={},
    )


def _page(shown: Page, width: int) -> Lines:
    yield from block(shown.title, width, "bold")
    if shown.submission:
        yield from block(shown.submission, width, "dim")
    yield from paragraph(shown.notice, width, "bold magenta")
    yield Text()
    yield from table(shown.rows, shown.total, width)
    yield from paragraph(shown.praise, width, "bold green")
    for section in shown.sections:
        yield from details(section, width)
    yield from paragraph(shown.next_step, width, head="Next  ", head_style="bold cyan")
    yield from paragraph(", ".join(shown.receipt), width, "dim")


def block(text: str, width: int, style: str = "", *, head: str = "", head_style: str = "", rest: str = "") -> Lines:
    """`text` wrapped; the first line begins with `head`, the others with `rest` or as much space."""
    rest = rest or " " * cells(head)
    for number, line in enumerate(wrapped(text, width - max(cells(head), cells(rest)))):
        yield Text.assemble((rest if number else head, head_style), (line, style))


def paragraph(text: str, width: int, style: str = "", *, head: str = "", head_style: str = "") -> Lines:
    """A block with a blank line before it, or nothing where there is no text."""
    if text:
        yield Text()
        yield from block(text, width, style, head=head, head_style=head_style)


# ── the scores ─────────────────────────────────────────────────────────────────────────────────────


def table(rows: Sequence[Row], total: Row, width: int) -> Lines:
    """The scores, a line an exercise, and the total."""
    columns = _columns((*rows, total), width)
    yield from (line for row in rows for line in _row(row, columns, width))
    yield Text()
    yield from _row(total, columns, width, "bold")


def _columns(rows: Sequence[Row], width: int) -> Columns:
    """How wide name, bar and the two halves of the score are.

    The bar is 0 where it would be too short to read, below 0 where not even the words fit side by side.
    """
    name = min(max(cells(row.name) for row in rows), width // 3)
    halves = [row.score.partition(" ") for row in rows]
    left, right = (max(cells(half[at]) for half in halves) for at in (0, 2))
    room = width - name - left - 1 - right - max(cells(row.status) for row in rows) - 2 * len(GAP)
    bar = min(room - len(GAP), LONGEST_BAR)
    return name, bar if bar >= SHORTEST_BAR else min(room, 0), left, right


def _row(row: Row, columns: Columns, width: int, style: str = "") -> Lines:
    name, bar, left, right = columns
    if bar < 0:
        yield from block(row.sentence, width, style)
        return
    earned, _, of = row.score.partition(" ")
    line = Text.assemble((padded(row.name, name), style), GAP)
    if bar:
        line.append_text(_bar(row.share, bar)).append(GAP)
    line.append(f"{earned.rjust(left)} {of.ljust(right)}", style).append(GAP)
    yield line.append(row.status, COLOURS[row.kind])


def _bar(share: float | None, width: int) -> Text:
    """Heavy where points are earned, light where not: it reads without colour. Dotted where not known."""
    if share is None:
        return Text("╌" * width, "dim")
    halves = int(share * 2 * width)
    if share > 0:
        halves = max(halves, 1)
    full, half = divmod(halves, 2)
    earned = "━" * full + "╾" * half
    return Text.assemble((earned, "green"), ("─" * (width - full - half), "dim"))


# ── below the scores ───────────────────────────────────────────────────────────────────────────────


def details(section: Section, width: int) -> Lines:
    """What there is to tell of one exercise, below two blank lines."""
    yield Text()
    yield Text()
    yield _heading(section, width)
    for fault in section.faults:
        yield from paragraph(fault, width, head="! ", head_style="bold magenta")
    for finding in section.findings:
        yield from _finding(finding, width)
    for each in section.maps:
        yield from _map(each, width)
    for check in section.checks:
        yield from _check(check, width)
    for sentence in section.not_run:
        yield from paragraph(sentence, width, head="– ", head_style="dim")
    for note in section.notes:
        yield from paragraph(note, width, head="Note  ", head_style="bold")


def _heading(section: Section, width: int) -> Text:
    name = padded(section.name, min(cells(section.name), width - len(section.score) - 4))
    rule = "─" * max(width - cells(name) - cells(section.score) - 2, 2)
    return Text.assemble((name, "bold"), (f" {rule} ", "dim"), section.score)


def _check(check: Check, width: int) -> Lines:
    yield Text()
    yield from _verdict(check, width)
    yield from _indented(check.message, width)
    if check.alike:
        yield Text()
        yield from _indented(check.alike, width)
    if check.printed:
        yield Text()
        yield from _indented(words.PRINTED, width, "dim")
        for line in check.printed:
            yield from block(line, width, head="  │ ", head_style="dim", rest="  │ ")
        if check.more:
            yield from block(check.more, width, "dim", head="  │ ", head_style="dim")
    if check.example:
        yield Text()
        yield from block(words.PASTE, width, "dim")
        yield from (Text(line, "cyan") for line in check.example)


def _verdict(check: Check, width: int) -> Lines:
    """The check's title, the points it cost at the right edge."""
    room = width - cells(check.lost) - 2
    beside = room >= SHORTEST_TITLE
    first, *others = block(check.title, room if beside else width, "bold", head="✗ ", head_style="bold red")
    if beside:
        first.append(" " * (width - cells(first.plain) - cells(check.lost))).append(check.lost, "red")
    yield from (first, *others)
    if not beside:
        yield from _indented(check.lost, width, "red")


def _indented(text: str, width: int, style: str = "") -> Lines:
    if text:
        yield from block(text, width, style, head="  ")


def _finding(finding: Finding, width: int) -> Lines:
    yield Text()
    head = "◆ " if finding.sure else "◇ "
    title = f"{finding.certainty}: {finding.title}"
    yield from block(title, width, "bold", head=head, head_style="bold magenta")
    yield from _indented(finding.explanation, width)
    if finding.evidence:
        yield Text()
        yield from block(words.SHOWN, width, "dim")
        yield from (Text(line, "cyan") for line in finding.evidence)
        yield from block(words.GIVES, width, "dim")
        for line in finding.got.split("\n"):
            yield from _indented(line, width)
    if finding.gain:
        yield Text()
        yield from _indented(finding.gain, width, "green")


def _map(each: Map, width: int) -> Lines:
    yield Text()
    yield from block(words.mapped(each), width, "bold")
    yield Text()
    for line in maps_text.compared(each, width):
        yield Text.assemble(*line)
