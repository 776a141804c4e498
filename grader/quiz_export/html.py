"""The quiz as one HTML page that stands alone: the bank as data, and page.html, page.css and page.js around it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.question import Choice, Posed, Question, Wrong, form, pose

if TYPE_CHECKING:
    from grader.course import Course

INSTANCES = 20
TYPED = ("number", "shape")
HERE = Path(__file__).parent


def export(bank: Sequence[Question], course: Course, seed: int = 0) -> bytes:
    """The page, in UTF-8; the same bytes for a bank and a seed. Raises CourseError where the mistakes have no words.

    A question that draws numbers is posed with the seeds `seed` to `seed + INSTANCES - 1`, and the browser takes one of
    these instances at a visit. It shuffles choices and steps itself.
    """
    parts = {
        "title": escape(course.title),
        "style": _file("page.css"),
        "script": _file("page.js"),
        "data": _embedded(_page_data(bank, course, seed)),
    }
    page = re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _file("page.html"))
    return page.encode("utf-8", "backslashreplace")  # half a surrogate pair is its escape in JSON as well


def _file(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _embedded(data: Any) -> str:
    """JSON that cannot end the element it stands in, nor open a comment there."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _page_data(bank: Sequence[Question], course: Course, seed: int) -> dict[str, Any]:
    questions = [_question(question, seed) for question in bank]
    return {"course": course.name, "mistakes": _titles(questions, course), "questions": questions}


def _titles(questions: Sequence[Mapping[str, Any]], course: Course) -> dict[str, str]:
    """The titles of the mistakes that an answer may betray, by code."""
    words = {code: each for exercise in course.exercises for code, each in course.words(exercise).items()}
    wrong = [each for question in questions for instance in question["instances"] for each in instance.get("wrong", ())]
    answers = [*wrong, *(choice for question in questions for choice in question.get("choices", ()))]
    return {code: words[code].title for code in sorted({each.get("mistake", "") for each in answers}) if code in words}


def _question(question: Question, seed: int) -> dict[str, Any]:
    """What the page needs of a question; what is empty is left out. Steps are in their right order."""
    names = ("id", "kind", "topic", "explanation", "code", "source", "tolerance", "steps")
    found = {name: getattr(question, name) for name in names}
    posed = [pose(question, seed + number) for number in range(INSTANCES if question.draw else 1)]
    found["choices"] = [_choice(choice) for choice in question.choices]
    found["form"] = f"type {form(posed[0])}" if question.kind in TYPED else ""
    found["instances"] = [_instance(each) for each in posed]
    return {name: value for name, value in found.items() if value}


def _choice(choice: Choice) -> dict[str, Any]:
    return _filled({"text": choice.text, "right": choice.right, "why": choice.why, "mistake": choice.mistake})


def _instance(posed: Posed) -> dict[str, Any]:
    """One way to put a question: its text, and for a kind that offers nothing, its answer and the wrong ones known."""
    if posed.choices:
        return {"text": posed.text}
    return {"text": posed.text, "answer": posed.answer, "wrong": [_wrong(each) for each in posed.wrong]}


def _wrong(wrong: Wrong) -> dict[str, Any]:
    return {"answer": wrong.answer, **_filled({"why": wrong.why, "mistake": wrong.mistake})}


def _filled(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}
