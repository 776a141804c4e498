"""The report as HTML: a fragment for a notebook's output cell, and a page that stands alone.

Hosts of fragments drop or share <style>, <script>, classes and ids, and some clean inline styles too (JupyterLab in
a notebook that is not trusted keeps a list of plain properties). So a fragment has inline styles alone, of plain
properties, inherits the text's colour, and tints its background: it reads on white and on black.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, TypeAlias

from grader.render import words
from grader.render.characters import cleaned
from grader.render.maps_html import compared
from grader.render.page import Check, Finding, Page, Row, Section, page

if TYPE_CHECKING:
    from grader.report import Report

Hints: TypeAlias = Mapping[str, Sequence[str]]

PARAGRAPH = "margin:0.4em 0;white-space:pre-wrap;overflow-wrap:break-word"
SMALL = f"{PARAGRAPH};font-size:0.85em"
PRAISE = f"{PARAGRAPH};font-weight:bold"
NOTICE = f"{PARAGRAPH};font-weight:bold;padding:0.5em 0.75em;border:2px solid rgba(204,121,167,0.9)"
NEXT = f"{PARAGRAPH};padding:0.5em 0.75em;background-color:rgba(0,114,178,0.12);border-radius:4px"
HEADING = "margin:1em 0 0.4em 0;overflow-wrap:break-word"
LIST = "list-style-type:none;margin:0;padding:0"
ITEM = "margin:0.75em 0;padding:0.1em 0 0.1em 0.75em;border-left:4px"
FAILED, NOT_RUN = f"{ITEM} solid rgba(213,94,0,0.8)", f"{ITEM} dotted rgba(128,128,128,0.8)"
FAULT, NOTE = f"{ITEM} double rgba(204,121,167,0.9)", f"{ITEM} solid rgba(128,128,128,0.5)"
SURE, UNSURE = f"{ITEM} solid rgba(0,114,178,0.9)", f"{ITEM} dashed rgba(0,114,178,0.9)"
CODE = (
    "overflow-x:auto;white-space:pre;margin:0.4em 0;padding:0.5em 0.75em;"
    "background-color:rgba(128,128,128,0.15);border-radius:4px"
)
# Hosts give <code> a background of its own and break its lines anywhere: in a box it has the box's.
LINES = "background-color:transparent;white-space:pre;padding:0"
HINT = "margin:0.4em 0;padding:0.3em 0.75em;border:1px solid rgba(128,128,128,0.5);border-radius:4px"
SCORES = "overflow-x:auto;margin:0.5em 0"
TABLE = "border-collapse:collapse;margin:0;width:100%;font-size:1em"
CELL = "padding:0.3em 0.75em 0.3em 0;text-align:left;vertical-align:middle;border-width:0"
BAR = "height:0.7em;min-width:3em;border-radius:4px"
TRACK, UNKNOWN = f"{BAR};background-color:rgba(128,128,128,0.3)", f"{BAR};border:1px dashed rgba(128,128,128,0.9)"
EARNED = "height:0.7em;border-radius:4px;background-color:rgba(0,135,95,0.9)"

STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; background: #fff; color: #1c1e21; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1, h2, h3 { line-height: 1.25; }
code { font-family: ui-monospace, monospace; font-size: 0.875rem; }
pre, pre code { white-space: pre-wrap !important; overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) { body { background: #16181c; color: #e4e6e9; } }
@media print {
  :root { color-scheme: light; }
  body { background: #fff; color: #000; font-size: 11pt; }
  main { max-width: none; padding: 0; }
  h1, h2, h3 { break-after: avoid; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
"""
# A second lock: whatever stood in a report, the page may load nothing and run nothing.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


CODE_WORD = re.compile(r"`([^`\n<>]+)`")
WORD = "background-color:transparent"


def fragment(report: Report, *, hints: Mapping[str, Sequence[str]] = {}) -> str:
    """`report` as one <div> for a notebook. `hints`, by the code of a mistake, stand closed below that mistake.

    An exercise on its own has no total, no path and no title of the course above it.
    """
    shown = page(report)
    titled = [] if _alone(shown) else [heading(3, shown.title)]
    parts = [*titled, *_content(shown, hints, 3 + len(titled))]
    return "\n".join(['<div style="line-height:1.5">', *parts, "</div>\n"])


def document(report: Report) -> str:
    """`report` as a whole page that needs no network, for light and dark screens and for paper."""
    shown = page(report)
    return standalone(shown.title, _content(shown, {}, 2))


def standalone(title: str, content: Iterable[str], style: str = "") -> str:
    """A page around `content`, which is markup already; `style` comes after the style that all pages have."""
    lines = (
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{leaf(title)}</title>",
        f"<style>{STYLE}{style}</style>",
        "</head>",
        "<body>",
        "<main>",
        heading(1, title),
        *content,
        "</main>",
        "</body>",
        "</html>\n",
    )
    return "\n".join(lines)


def _content(shown: Page, hints: Hints, level: int) -> Iterable[str]:
    """All below the title; the headings of exercises are of `level`."""
    alone = _alone(shown)
    if shown.submission and not alone:
        yield paragraph(words.submitted(shown.submission), SMALL)
    yield from _said(shown.notice, NOTICE)
    yield _verdict(shown.rows[0], level) if alone else _scores((*shown.rows, shown.total))
    yield from _said(shown.praise, PRAISE)
    for section in shown.sections:
        if not alone:
            yield heading(level, f"{section.name}: {section.score}")
        yield from _section(section, hints, level + 1)
    if shown.next_step:
        yield paragraph(words.following(shown.next_step), NEXT)
    yield paragraph(", ".join(shown.receipt), SMALL)


def _alone(shown: Page) -> bool:
    return len(shown.rows) == 1


# ── the scores ─────────────────────────────────────────────────────────────────────────────────────


def _verdict(row: Row, level: int) -> str:
    return f"{heading(level, row.sentence)}\n{bar(row.share)}"


def _scores(rows: Sequence[Row]) -> str:
    *parts, total = map(_row, rows)
    body = f"<tbody>{''.join(parts)}</tbody>" if parts else ""
    table = f"{body}<tfoot>{total}</tfoot>"
    return element("div", SCORES, element("table", TABLE, table))


def _row(row: Row) -> str:
    style = "background-color:transparent;border-top:1px solid rgba(128,128,128,0.4)"
    name = f'<th scope="row" style="{CELL}">{leaf(row.name)}</th>'
    earned = element("td", f"{CELL};width:50%", bar(row.share))
    score = element("td", f"{CELL};white-space:nowrap", leaf(row.score))
    return element("tr", style, name + earned + score + element("td", f"{CELL};min-width:6em", leaf(row.status)))


def bar(share: float | None, fill: str = EARNED) -> str:
    """How much is earned, or another share, for the eye alone: the number stands beside it in words."""
    if share is None:
        return f'<div aria-hidden="true" style="{UNKNOWN}"></div>'
    part = element("div", f"{fill};width:{100 * share:.1f}%", "")
    return f'<div aria-hidden="true" style="{TRACK}">{part}</div>'


# ── below the scores ───────────────────────────────────────────────────────────────────────────────


def _section(section: Section, hints: Hints, level: int) -> Iterable[str]:
    yield from _list((FAULT, paragraph(fault)) for fault in section.faults)
    yield from _list((SURE if each.sure else UNSURE, _finding(each, hints)) for each in section.findings)
    yield from (compared(each, level) for each in section.maps)
    yield from _list((FAILED, _check(check)) for check in section.checks)
    yield from _list((NOT_RUN, paragraph(sentence)) for sentence in section.not_run)
    yield from _list((NOTE, paragraph(words.noted(note))) for note in section.notes)


def _list(items: Iterable[tuple[str, str]]) -> Iterable[str]:
    """A list of styled items, or nothing where there is none."""
    if lines := [element("li", style, content) for style, content in items]:
        yield element("ul", LIST, "\n".join(lines))


def _check(check: Check) -> str:
    return "\n".join(
        [
            element("p", PARAGRAPH, f"<strong>{prose(words.failed(check.title))}</strong> {leaf(check.lost)}."),
            *_said(check.message),
            *_said(check.alike),
            *_pasted(words.PRINTED, check.printed),
            *_said(check.more, SMALL),
            *_pasted(words.PASTE, check.example),
        ]
    )


def _finding(finding: Finding, hints: Hints) -> str:
    return "\n".join(
        [
            element("p", PARAGRAPH, f"<strong>{leaf(finding.certainty)}: {prose(finding.title)}.</strong>"),
            *_said(finding.explanation),
            *_pasted(words.SHOWN, finding.evidence),
            *_pasted(words.GIVES, finding.got.split("\n") if finding.evidence else ()),
            *_said(finding.gain),
            *(_hint(number, hint) for number, hint in enumerate(cleaned(tuple(hints.get(finding.code, ()))), 1)),
        ]
    )


def _hint(number: int, hint: str) -> str:
    return element("details", HINT, f"<summary>Hint {number}</summary>{paragraph(hint.strip())}")


def _pasted(introduction: str, lines: Sequence[str]) -> Iterable[str]:
    """Lines as they are, in a box that scrolls by itself, below what they are; nothing where there are none."""
    if lines:
        yield paragraph(introduction)
        yield element("pre", CODE, element("code", LINES, leaf("\n".join(lines))))


# ── elements ───────────────────────────────────────────────────────────────────────────────────────


def _said(text: str, style: str = PARAGRAPH) -> Iterable[str]:
    if text:
        yield paragraph(text, style)


def paragraph(text: str, style: str = PARAGRAPH) -> str:
    """Prose in a <p>."""
    return element("p", style, prose(text))


def heading(level: int, text: str) -> str:
    """A heading from 1 to 6."""
    return element(f"h{level}", HEADING, leaf(text))


def element(name: str, style: str, content: str) -> str:
    """An element around `content`, which is markup already."""
    return f'<{name} style="{style}">{content}</{name}>'


def leaf(text: str) -> str:
    """A leaf: the one way for a stranger's text into the markup."""
    return escape(text, quote=True)


def prose(text: str) -> str:
    """A leaf in which what stands in `backticks` is code."""
    parts = CODE_WORD.split(text)  # prose, code, prose, …
    marked = (element("code", WORD, leaf(part)) if odd % 2 else leaf(part) for odd, part in enumerate(parts))
    return "".join(marked)
