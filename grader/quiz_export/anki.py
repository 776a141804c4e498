"""A text file for Anki's File > Import: one note a line, found again by its guid, so that a later import updates it.

The headers are those of Anki's manual, docs.ankiweb.net/importing/text-files.html; no field holds a tab or a line end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.course import Course
from grader.question import LETTERS, Question
from grader.quiz_export.markup import escaped, explanation, inline, legible, prompt, why
from grader.quiz_export.nearest import Item, items

_LEFT = "<div style='text-align:left'>"  # the note type Basic centres, which takes the indentation from code


def export(bank: Sequence[Question], course: Course, seed: int = 0) -> bytes:
    """The bank as a text file in UTF-8: guid, front, back and tags, separated by tabs; the fields are HTML."""
    lines = [*_headers(course), *(_note(item, course) for item in items(bank, "anki", seed))]
    return "".join(f"{line}\n" for line in lines).encode()


def _headers(course: Course) -> Iterator[str]:
    yield "#separator:tab"
    yield "#html:true"
    yield "#notetype:Basic"
    yield f"#deck:{' '.join(legible(course.title).split())}"
    yield "#guid column:1"
    yield "#tags column:4"


def _note(item: Item, course: Course) -> str:
    front, back = (f"{_LEFT}{side}</div>" for side in (_front(item), _back(item)))
    fields = (f"{_word(course.name)}-{_word(item.id)}", front, back, " ".join(_tags(item.question)))
    return "\t".join(field.replace("\t", "&#9;").replace("\n", "&#10;") for field in fields)


def _tags(question: Question) -> list[str]:
    return [f"topic::{_word(question.topic)}", *(f"mistake::{_word(code)}" for code in question.mistakes)]


def _word(text: str) -> str:
    """Anki ends a tag, and we a guid, at white space."""
    return "-".join(legible(text).split())


def _front(item: Item) -> str:
    return prompt(item) + (_lettered(inline(choice.text) for choice in item.choices) if item.choices else "")


def _back(item: Item) -> str:
    return f"<p>Right: <b>{_right(item)}</b></p>{_reasons(item)}<hr>{explanation(item)}"


def _right(item: Item) -> str:
    if item.choices:
        return ", ".join(letter for letter, each in zip(LETTERS, item.choices, strict=False) if each.right)
    tolerance = f" (± {item.question.tolerance:g})" if item.form == "number" else ""
    return escaped(item.answers[0].spellings[0]) + tolerance


def _reasons(item: Item) -> str:
    if item.choices:
        return _lettered(("<b>Right.</b>" if each.right else "") + why(each.why, each.mistake) for each in item.choices)
    wrong = (each for each in item.answers if not each.right)
    reasons = (f"<li>{escaped(each.spellings[0])}{why(each.why, each.mistake)}</li>" for each in wrong)
    return f"<ul>{''.join(reasons)}</ul>"


def _lettered(entries: Iterator[str]) -> str:
    """Attributes take single quotes: a field with a double one would have to be quoted as a whole."""
    return f"<ol type='a'>{''.join(f'<li>{entry}</li>' for entry in entries)}</ol>"
