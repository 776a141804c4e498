"""The bank's text as HTML: `code` between backticks, *stress* between asterisks, everything else as it stands."""

from __future__ import annotations

import re

from grader.quiz_export.nearest import Item

_SPAN = re.compile(r"`([^`\n]+)`|(?<![\w*])\*(?=[^\s*])([^*`\n]+)(?<=\S)\*(?![\w*])")
_NO_CHARACTER = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def legible(text: str) -> str:
    """The text without what XML 1.0 (section 2.2) has no place for: line ends become one, control characters U+FFFD."""
    return _NO_CHARACTER.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def escaped(text: str) -> str:
    """The text as HTML shows it, letter for letter."""
    return legible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def inline(text: str) -> str:
    """One piece of the bank's text as HTML that can stand inside a paragraph."""
    shown, at = [], 0
    for span in _SPAN.finditer(text):
        mark, inside = ("code", span[1]) if span[1] is not None else ("em", span[2])
        shown += [escaped(text[at : span.start()]), f"<{mark}>{escaped(inside)}</{mark}>"]
        at = span.end()
    return "".join((*shown, escaped(text[at:]))).replace("\n", "<br>")


def paragraph(text: str) -> str:
    """A piece of the bank's text as a paragraph; nothing for no text."""
    return f"<p>{inline(text)}</p>" if text else ""


def prompt(item: Item) -> str:
    """The question, and its code where it has any."""
    code = item.question.code.rstrip("\n")
    return paragraph(item.text) + (f"<pre><code>{escaped(code)}</code></pre>" if code else "")


def why(text: str, mistake: str) -> str:
    """What is to be said about an answer: why it is right or wrong, and the code of the mistake it embodies."""
    return paragraph(text) + (f"<p>Mistake: <code>{escaped(mistake)}</code></p>" if mistake else "")


def explanation(item: Item) -> str:
    """What is to be said about the question whatever was answered."""
    source = item.question.source
    return paragraph(item.question.explanation) + (f"<p>Source: {inline(source)}</p>" if source else "")
