"""The view of `grade watch`: scores, what the last save changed, and as much of the rest as there is room for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rich.text import Text

from grader.render import words
from grader.render.characters import cleaned, visible
from grader.render.lines import cells, one_line, wrapped
from grader.render.page import page
from grader.render.terminal import NARROWEST, WIDEST, Lines, block, details, drawn, paragraph, table

if TYPE_CHECKING:
    from grader.changes import Change
    from grader.report import Mistake, Outcome, Report

LOWEST = 6  # lines of the smallest screen that is drawn for
UNCHANGED = ("Graded again: nothing has changed.", "The last save changed no points.")
CHANGED = ("What changed since the last report", "What the last save changed")
KEYS = (
    "h  next hint    n  next exercise    r  run now    q  quit",
    "h hint   n next   r run   q quit",
    "h  n  r  q",
)
NO_KEYS = "Ctrl-C quits"


@dataclass(frozen=True, slots=True)
class View:
    """What there is to see. `status` and `method` are sentences: what goes on, and how saves are noticed.

    `changes` are those since the last report, None where there is nothing to compare with; `saved` says whether there
    was a save between. `focus` is the exercise that is told of, `file` where it is written, `notice` what is in the
    way. `typed` says how keys are read: "keys", "lines", or "" for not at all. `skipped` lines of all that is told are
    above the part that is shown.
    """

    title: str
    status: str
    method: str
    report: Report | None = None
    changes: tuple[Change, ...] | None = None
    saved: bool = True
    focus: str = ""
    file: str = ""
    hint: str = ""
    notice: str = ""
    typed: str = "keys"
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Frame:
    """A screenful of lines, and how many to skip for the next one."""

    lines: tuple[str, ...]
    following: int


def frame(view: View, *, width: int, height: int, colour: bool) -> Frame:
    """Draw what fits into `height` rows of `width` columns; of what does not, the foot says how much there is.

    Lines to paste are never broken: the terminal wraps them, and they can be copied whole.
    """
    room = min(max(width, NARROWEST), WIDEST)
    head = [*block(one_line(view.title), room, "bold")][:1]
    head += [*block(f"{view.status} {view.method}", room, "dim"), Text()]
    told = [*_told(view, room)]
    skipped = view.skipped if view.skipped < len(told) else 0
    shown = _fitting(told[skipped:], max(height - _rows(head, width) - 2, 1), width)
    rest = len(told) - skipped - len(shown)
    following = skipped + len(shown) if rest else 0
    while shown and not shown[-1].plain.strip():
        shown.pop()
    foot = [Text(), Text(_foot(view, rest, skipped, room), "dim")]
    lines = drawn([*head, *shown, *foot][-max(height, LOWEST) :], colour=colour).split("\n")[:-1]
    return Frame(tuple(lines), following)


def _rows(lines: Iterable[Text], width: int) -> int:
    """Rows of the screen that lines take, those that are too long wrapped by the terminal."""
    return sum(max(1, -(-cells(line.plain.rstrip()) // width)) for line in lines)


def _fitting(lines: Sequence[Text], rows: int, width: int) -> list[Text]:
    """As many lines as fit; one at least, cut where even that is too long."""
    shown: list[Text] = []
    for line in lines:
        rows -= _rows([line], width)
        if rows < 0:
            break
        shown.append(line)
    return shown or [line[: rows * width] for line in lines[:1] if (rows := rows + _rows([line], width))]


def _foot(view: View, rest: int, skipped: int, width: int) -> str:
    """The keys there are, in as many words as fit."""
    if not view.typed:
        return NO_KEYS
    long = f"Space  {words.counted(rest, 'more line')}" if rest else "Space  back to the top" if skipped else ""
    short = "Space more" if rest else "Space top" if skipped else ""
    enter = " then Enter" if view.typed == "lines" else ""
    ways = [(KEYS[0], long), (KEYS[1], long), (KEYS[1], short), (KEYS[2], short)]
    told = ["    ".join(filter(None, [keys + enter, more])) for keys, more in ways]
    return next((text for text in told if cells(text) <= width), told[-1][:width])


# ── what is told ───────────────────────────────────────────────────────────────────────────────────


def _told(view: View, width: int) -> Lines:
    """All there is to tell, the most important first."""
    if view.notice:
        yield from block(visible(view.notice), width, "bold magenta")
        yield Text()
    if view.report is None:
        return
    shown = page(_focused(view.report, view.focus))
    scores = page(view.report)
    if scores.notice:
        yield from block(scores.notice, width, "bold magenta")
        yield Text()
    yield from table(scores.rows, scores.total, width)
    yield from _hint(view.hint, width) if view.hint else _changes(view, width)
    if scores.praise:
        yield from paragraph(scores.praise, width, "bold green")
        yield from paragraph(scores.next_step, width, head="Next  ", head_style="bold cyan")
        return
    for section in shown.sections:
        yield from list(details(section, width))[1:]
    yield from _unwritten(view, width)


def _focused(report: Report, name: str) -> Report:
    """The report of one exercise alone."""
    return replace(report, exercises=tuple(each for each in report.exercises if each.name == name))


def _changes(view: View, width: int) -> Lines:
    if view.changes is None:
        return
    if not view.changes:
        yield from paragraph(UNCHANGED[view.saved], width, "dim")
        return
    yield from paragraph(CHANGED[view.saved], width, "bold")
    for change in cleaned(view.changes):
        yield from block(_points(change), width, _colour(change.points), head="  ", rest="  ")
        yield from _each(_checks("now passes", change.passed), width, "✓", "green")
        yield from _each(_mistakes("mistake gone", change.gone), width, "✓", "green")
        yield from _each(_lost(change), width, "✗", "red")
        yield from _each(_mistakes("now named", change.new), width, "◆", "magenta")


def _each(texts: Iterable[str], width: int, sign: str, style: str) -> Lines:
    for text in texts:
        yield from block(text, width, head=f"    {sign} ", head_style=style, rest="      ")


def _points(change: Change) -> str:
    if not change.points:
        return f"{change.exercise}: as many points as before"
    return f"{change.exercise}: {words.counted(abs(change.points), 'point')} {'won' if change.points > 0 else 'lost'}"


def _colour(points: float) -> str:
    return "green" if points > 0 else "red" if points < 0 else ""


def _checks(what: str, tests: Sequence[Outcome]) -> list[str]:
    """A line a check; of many, only how many."""
    if len(tests) > words.MOST_TITLES:
        return [f"{what.replace('passes', 'pass').replace('fails', 'fail')}: {words.worth(tests)}"]
    return [f"{what}: {one_line(words.title(each))} ({words.counted(each.max_points, 'point')})" for each in tests]


def _lost(change: Change) -> list[str]:
    """The checks that passed before: those that fail, and those that were not run."""
    failed = [each for each in change.failed if each.outcome == "failed"]
    unasked = [each for each in change.failed if each.outcome != "failed"]
    return _checks("now fails", failed) + _checks("not run now", unasked)


def _mistakes(what: str, mistakes: Sequence[Mistake]) -> list[str]:
    return [f"{what}: {one_line(each.title).rstrip('.')} ({each.code})" for each in mistakes]


def _hint(hint: str, width: int) -> Lines:
    """The hint without the score, which stands above, and its lines of code as they are."""
    yield Text()
    for number, line in enumerate(visible(hint.partition("\n\n")[2] or hint).split("\n")):
        code = line.startswith(("import ", "[")) or (" " not in line.partition("(")[0] and "(" in line)
        if code:
            yield Text(line, "cyan")
        else:
            yield from block(line, width, "bold" if not number else "")


def _unwritten(view: View, width: int) -> Lines:
    """What to do about an exercise that is not begun."""
    begun = [each for each in view.report.exercises if each.status != "not-implemented"] if view.report else []
    if view.focus and view.focus not in [each.name for each in begun]:
        step = f"Open {view.file}, read the docstring of {view.focus}, write the function, and save."
        yield from paragraph(step, width, head="Next  ", head_style="bold cyan")


# ── where there is no screen ───────────────────────────────────────────────────────────────────────


def told_in_lines(report: Report, changes: Sequence[Change] | None, *, width: int) -> str:
    """A report in a few plain lines: the points, and what the last save changed; there is no other reason for one."""
    shown = page(report)
    lines = [shown.notice] if shown.notice else []
    lines.append("; ".join([shown.total.sentence, *(row.sentence for row in shown.rows)]))
    if changes is not None and not changes:
        lines.append(f"  {UNCHANGED[True]}")
    for change in cleaned(tuple(changes or ())):
        lines.append(f"  {_points(change)}")
        lines += [
            f"    {text}" for text in _checks("now passes", change.passed) + _mistakes("mistake gone", change.gone)
        ]
        lines += [f"    {text}" for text in _lost(change) + _mistakes("now named", change.new)]
    return "\n".join(part for line in lines for part in wrapped(line, width, rest="  "))
