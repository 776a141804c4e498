"""The page a teacher opens before the lecture: what the class got right, what it got wrong, and an example of each.

It can be projected: examples are anonymous, and students' names stand closed until they are asked for. Like every page
of ours it needs no network and no script; here the style may use classes, since no host cleans it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from grader.render import class_plain as said
from grader.render.characters import cleaned
from grader.render.html import EARNED, NOTICE, SMALL, bar, heading, leaf, paragraph, prose, standalone
from grader.render.lines import shortened
from grader.render.page import EXPLANATION_WIDTH

if TYPE_CHECKING:
    from grader.class_summary import ClassSummary, Example, MistakeCount, Nothing

Row: TypeAlias = Sequence[str]  # of cells, each markup already
Right: TypeAlias = Callable[[str], str]  # the right result of a call; "" where it is not known

MOST_SHOWN, MOST_CHECKS = 10, 15
COUNTED = EARNED.replace("rgba(0,135,95,0.9)", "rgba(0,114,178,0.9)")  # how many, be that good or bad
STYLE = """
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 1.5rem; }
caption { text-align: left; font-weight: bold; padding: 0.25rem 0; }
th, td { padding: 0.35rem 0.75rem 0.35rem 0; text-align: left; vertical-align: top; font-weight: normal; }
th:last-child, td:last-child { padding-right: 0; }
th, td, summary, li, h1, h2, h3 { overflow-wrap: anywhere; }
tbody th { min-width: 7rem; }
tbody tr { border-top: 1px solid rgba(128,128,128,0.4); }
thead th { font-size: 0.85em; font-weight: bold; vertical-align: bottom; }
th.figure, td.figure { text-align: right; overflow-wrap: normal; font-variant-numeric: tabular-nums; }
td.bar { width: 35%; padding-top: 0.75rem; }
tbody th span { display: block; font-size: 0.85em; }
article { margin: 1.5rem 0; padding-left: 0.75rem; border-left: 4px solid rgba(0,114,178,0.9); }
article h3 { margin: 0 0 0.4rem; }
pre { margin: 0.4rem 0; padding: 0.5rem 0.75rem; background: rgba(128,128,128,0.15); border-radius: 4px;
  white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: 0.5rem 0; padding: 0.3rem 0.75rem; border: 1px solid rgba(128,128,128,0.5); border-radius: 4px; }
summary { cursor: pointer; }
.names { columns: 14rem; column-gap: 1.5rem; margin: 0.5rem 0; padding: 0; list-style: none; }
.names.long { columns: auto; }
.names li { break-inside: avoid; padding: 0.1rem 0; }
@media (max-width: 36rem) { th, td { padding-right: 0.5rem; } table:not(.chart) td.bar { display: none; } }
@media print { tr, pre, details, .names li { break-inside: avoid; } table { break-inside: auto; } }
"""


def document(summary: ClassSummary, right: Right = lambda _: "") -> str:
    """The class as a whole page, readable on light and dark screens, without colour, and on paper.

    `right` gives what stands beside a student's result: the right one of the same call, "" where nobody knows it.
    """
    return standalone(said.title(summary), _content(cleaned(summary), right), STYLE)


def _content(summary: ClassSummary, right: Right) -> Iterator[str]:
    yield paragraph(" ".join(filter(None, (said.graded(summary), said.drawn(summary.seeds)))))
    if summary.not_graded:
        yield paragraph(said.not_graded(summary), NOTICE)
        yield _names(summary.not_graded)
    yield from _by_hand(summary)
    if summary.spread:
        yield from _scores(summary)
        yield from _mistakes(summary, right)
        yield from _checks(summary)
    yield from _clusters(summary, right)
    yield from _identical(summary)


def _by_hand(summary: ClassSummary) -> Iterator[str]:
    if summary.by_hand:
        yield heading(2, said.BY_HAND)
        yield paragraph(f"{said.students(len(summary.by_hand))}. {said.WHY_BY_HAND}")
        items = map(said.doubted, summary.by_hand)
        yield _closed(said.names(summary.by_hand), _list(items, "names long"))


def _scores(summary: ClassSummary) -> Iterator[str]:
    yield heading(2, "Scores")
    if summary.spread:
        yield paragraph(said.spread(summary.spread, summary.max_score))
    most = max((each.count for each in summary.bins), default=0) or 1
    bins = enumerate(summary.bins)
    rows = [(said.band(summary.bins, at), str(each.count), bar(each.count / most, COUNTED)) for at, each in bins]
    yield _table("How many scored how much", ("points", "#students", "|"), rows, "chart")
    parts = [
        (leaf(said.label(each.name)), said.mean(each), bar(_share(each.mean, each.max_score)), said.full_marks(each))
        for each in summary.exercises
    ]
    yield _table("Exercises", ("exercise", "#mean", "|", "#full marks"), parts)


def _share(value: float, of: float) -> float | None:
    return min(max(value / of, 0.0), 1.0) if of > 0 else None


# ── mistakes ───────────────────────────────────────────────────────────────────────────────────────


def _mistakes(summary: ClassSummary, right: Right) -> Iterator[str]:
    yield heading(2, "Mistakes")
    often, rarer = summary.mistakes[:MOST_SHOWN], summary.mistakes[MOST_SHOWN:]
    if often:
        yield _counts("The most frequent mistakes" if rarer else "All mistakes", often, len(often[0].students))
        yield paragraph(said.RULE, SMALL)
    yield from _nothing(summary.nothing)
    if often:
        yield from _one_by_one(often, rarer, right)
    elif not summary.nothing:
        yield paragraph(said.ALL_RIGHT)


def _nothing(these: Sequence[Nothing]) -> Iterator[str]:
    if these:
        yield paragraph(said.nothing(these))
        yield from (_names(each.students, f"{said.label(each.exercise)} ({len(each.students)})") for each in these)


def _one_by_one(often: Sequence[MistakeCount], rarer: Sequence[MistakeCount], right: Right) -> Iterator[str]:
    yield heading(2, "Mistakes one by one")
    yield from (_article(each, right) for each in often)
    if rarer:
        parts = [_counts("Rarer mistakes", rarer, len(often[0].students)), *(_article(each, right) for each in rarer)]
        yield _closed(f"Rarer mistakes ({len(rarer)})", "\n".join(parts))


def _counts(caption: str, mistakes: Sequence[MistakeCount], most: int) -> str:
    """Who makes a mistake is counted in bars of which the longest stands for `most`."""
    rows = [
        (_mistake(each), str(len(each.students)), bar(len(each.students) / most, COUNTED), said.about(each.points))
        for each in mistakes
    ]
    return _table(caption, ("mistake", "#students", "|", "#points in all"), rows)


def _mistake(each: MistakeCount) -> str:
    """A mistake by its code, below it what it is."""
    return f"{leaf(said.mistake(each))}<span>{prose(said.label(each.title))}</span>"


def _article(each: MistakeCount, right: Right) -> str:
    parts = [
        heading(3, said.coded(each.exercise, each.code)),
        paragraph(f"{said.costing(each)} {said.label(each.title).rstrip('.')}."),
        *([paragraph(shortened(each.explanation, EXPLANATION_WIDTH))] if each.explanation else []),
        *_example(each.example, right),
        _names(each.students),
    ]
    return _framed(parts)


def _framed(parts: Sequence[str]) -> str:
    return "\n".join(["<article>", *parts, "</article>"])


def _example(example: Example | None, right: Right) -> Iterable[str]:
    if example:
        yield paragraph(said.ONE_GAVE)
        yield f"<pre><code>{leaf(example.call)}\n\n{leaf(example.got)}</code></pre>"
        if result := right(example.call):
            yield paragraph(said.RIGHT_IS)
            yield f"<pre><code>{leaf(result)}</code></pre>"


def _names(students: Sequence[str], summary: str = "") -> str:
    """Whose it is, closed: the page may be on a wall."""
    return _closed(summary or said.names(students), _list(map(said.name, students), "names"))


def _list(items: Iterable[str], kind: str) -> str:
    return f'<ul class="{kind}">{"".join(f"<li>{leaf(item)}</li>" for item in items)}</ul>'


def _closed(summary: str, content: str) -> str:
    return f"<details><summary>{leaf(summary)}</summary>\n{content}\n</details>"


# ── checks and groups ──────────────────────────────────────────────────────────────────────────────


def _checks(summary: ClassSummary) -> Iterator[str]:
    if not summary.tests:
        return
    yield heading(2, "Checks")
    rows = [
        (prose(said.check(each)), said.percent(each.share), bar(each.share, COUNTED))
        for each in summary.tests[:MOST_CHECKS]
    ]
    yield _table(said.FAILED_MOST.rstrip(":"), ("check", "#failed", "|"), rows)


def _clusters(summary: ClassSummary, right: Right) -> Iterator[str]:
    if not summary.clusters:
        return
    yield heading(2, "Unexplained, and alike")
    yield paragraph(said.EXPLAINED_NOT)
    for each in summary.clusters:
        yield _framed([heading(3, said.cluster(each)), *_example(each.example, right), _names(each.students)])


def _identical(summary: ClassSummary) -> Iterator[str]:
    if not summary.identical:
        return
    yield heading(2, "Identical submissions")
    yield paragraph(said.THE_SAME)
    yield from (_names(each.students, said.identical(each)) for each in summary.identical)


# ── tables ─────────────────────────────────────────────────────────────────────────────────────────


def _table(caption: str, heads: Sequence[str], rows: Iterable[Row], name: str = "plain") -> str:
    """A table whose first column names its rows; a head that begins with # is one of figures, | one of bars.

    On narrow screens only a `chart` keeps its bars.
    """
    kinds = [{"#": ' class="figure"', "|": ' class="bar"'}.get(head[0], "") for head in heads]
    top = "".join(
        f"<td{kind}></td>" if head == "|" else f'<th scope="col"{kind}>{leaf(head.removeprefix("#"))}</th>'
        for head, kind in zip(heads, kinds, strict=True)
    )
    lines = (
        f'<table class="{name}"><caption>{leaf(caption)}</caption>',
        f"<thead><tr>{top}</tr></thead>",
        "<tbody>",
        *(_row(row, kinds) for row in rows),
        "</tbody></table>",
    )
    return "\n".join(lines)


def _row(row: Row, kinds: Sequence[str]) -> str:
    first, *others = row
    cells = "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(others, kinds[1:], strict=True))
    return f'<tr><th scope="row">{first}</th>{cells}</tr>'
