"""The bank of quiz questions for use elsewhere: one file a format, each a pure function of the bank.

nearest             the one table: what each kind becomes in each format of other programs, and the items made by it
markup, tree        a question's text as HTML; XML elements and documents
moodle, qti, anki   for other programs
html                for a browser: a page of its own that poses every kind as it is
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grader.quiz_export import anki, html, moodle, qti

FORMATS: Mapping[str, Callable[..., bytes]] = {
    "html": html.export,
    "moodle": moodle.export,
    "qti": qti.export,
    "anki": anki.export,
}
