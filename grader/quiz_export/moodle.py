"""Moodle XML: one category a topic, and in it the questions with feedback, tags and id numbers.

What Moodle takes is written down in docs.moodle.org/en/Moodle_XML_format and read by question/format/xml/format.php.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from grader.course import Course
from grader.question import Question
from grader.quiz_export.markup import explanation, inline, paragraph, prompt, why
from grader.quiz_export.nearest import Form, Item, items
from grader.quiz_export.tree import child, document

TYPES: dict[Form, str] = {
    "single": "multichoice",
    "multiple": "multichoice",
    "number": "numerical",
    "text": "shortanswer",
}


def export(bank: Sequence[Question], course: Course, seed: int = 0) -> bytes:
    """The bank as a Moodle XML file. The same bank, course and seed give the same bytes."""
    quiz = ET.Element("quiz")
    made = items(bank, "moodle", seed)
    for topic in dict.fromkeys(item.question.topic for item in made):
        _category(quiz, course.title, topic)
        for item in made:
            if item.question.topic == topic:
                _question(quiz, item)
    return document(quiz)


def _category(quiz: ET.Element, *names: str) -> None:
    """In a category's path a slash that belongs to a name is doubled."""
    path = "/".join(("$course$/top", *(name.replace("/", "//") for name in names)))
    _texted(child(quiz, "question", type="category"), "category", path)


def _question(quiz: ET.Element, item: Item) -> None:
    question = child(quiz, "question", type=TYPES[item.form])
    _texted(question, "name", item.id)
    _texted(question, "questiontext", prompt(item) + paragraph(item.how), format="html")
    _texted(question, "generalfeedback", explanation(item), format="html")
    child(question, "defaultgrade", "1.0")
    child(question, "penalty", "0.3333333")
    child(question, "hidden", "0")
    child(question, "idnumber", item.id)
    body = _chosen if item.choices else _typed
    body(question, item)
    tags = child(question, "tags")
    for mistake in item.question.mistakes:
        _texted(tags, "tag", mistake)


def _chosen(question: ET.Element, item: Item) -> None:
    child(question, "single", "true" if item.form == "single" else "false")
    child(question, "shuffleanswers", "true")
    child(question, "answernumbering", "abc")
    for name, words in {"correct": "Right.", "partiallycorrect": "Partly right.", "incorrect": "Not quite."}.items():
        _texted(question, f"{name}feedback", paragraph(words), format="html")
    rights = sum(choice.right for choice in item.choices)
    wrongs = len(item.choices) - rights
    for choice in item.choices:
        lost = _share(-100, wrongs) if item.form == "multiple" else "0"
        fraction = _share(100, rights) if choice.right else lost
        _answer(question, inline(choice.text), why(choice.why, choice.mistake), fraction, "html")


def _share(percent: int, among: int) -> str:
    """Moodle knows the shares of up to ten choices by five decimals and rejects others."""
    return f"{percent / among:.5f}".rstrip("0").rstrip(".")


def _typed(question: ET.Element, item: Item) -> None:
    if item.form == "text":
        child(question, "usecase", "0")
    for each in item.answers:
        for spelling in each.spellings:
            said = why(each.why, each.mistake)
            answer = _answer(question, spelling, said, "100" if each.right else "0", "plain_text")
            if item.form == "number":
                child(answer, "tolerance", f"{item.question.tolerance:.10f}".rstrip("0"))


def _answer(question: ET.Element, text: str, said: str, fraction: str, format: str) -> ET.Element:  # noqa: A002
    answer = child(question, "answer", fraction=fraction, format=format)
    child(answer, "text", text)
    _texted(answer, "feedback", said, format="html")
    return answer


def _texted(parent: ET.Element, tag: str, text: str, **attributes: str) -> None:
    child(child(parent, tag, **attributes), "text", text)
