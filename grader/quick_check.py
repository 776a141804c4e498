"""The lesson's Quick Check in a notebook: one question of the bank, answered by a letter in a cell, for no points."""

from __future__ import annotations

import ast
import html
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from grader.bank import load_bank
from grader.errors import CourseError, UsageError
from grader.lesson import QuickCheck, read_lesson
from grader.question import Malformed, Posed, judge, pose
from grader.source import parse

if TYPE_CHECKING:
    from grader.course import Course
    from grader.submission import Submission

NAME = "quick-check"
VARIABLE = "quick_check"
PRACTICE = "This question is for practice: it gives no points."
HINTLESS = "The Quick Check has no hints. Choose another letter, and it says what is wrong with that one."


def posed(course: Course, mark: QuickCheck) -> Posed:
    """The question at a mark of the lesson, its choices always in one order. Raises CourseError where there is none."""
    question = next((each for each in load_bank(course) if each.id == mark.question), None)
    if question is None or question.kind != "one":
        problem = f"line {mark.line}: the bank has no question {mark.question!r} with one right choice"
        raise CourseError([problem], where=str(course.lesson), remedy="Name one by its id.")
    return pose(question, 0)


@lru_cache(maxsize=8)
def _of(course: Course) -> Posed:
    """The lesson's one question. Raises UsageError where it has none."""
    parts = read_lesson(course.lesson.read_text(encoding="utf-8"), where=str(course.lesson))
    mark = next((part for part in parts if isinstance(part, QuickCheck)), None)
    if mark is None:
        remedy = "Leave it out, or take its cell out of the notebook."
        raise UsageError("this course has no Quick Check", where=str(course.lesson), remedy=remedy)
    return posed(course, mark)


def answered(course: Course, submission: Submission) -> dict[str, Any]:
    """What the test cell shows of the answer found in the cells: 0 of 0 points, whatever it is."""
    lines = _lines(_of(course), _answer(submission))
    shown = "".join(f"<p>{html.escape(line)}</p>" for line in lines)
    return {"score": 0.0, "max_score": 0.0, "text": "\n".join(lines), "html": f"<div>{shown}</div>"}


def _answer(submission: Submission) -> str:
    """The text that the cells last assign to `quick_check`; "" where there is none."""
    found = ""
    for module in submission.modules:
        for node in parse(module.text).body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))) if name == VARIABLE:
                    found = text
    return found


def _lines(question: Posed, typed: str) -> list[str]:
    if not typed.strip():
        return [f"Not answered yet. Put the letter of your answer into {VARIABLE} and run both cells."]
    try:
        verdict = judge(question, typed)
    except Malformed as error:
        return [f"{typed!r:.40} is none of the letters: {error}."]
    if verdict.right:
        return [f"Right. {verdict.why}", question.question.explanation, PRACTICE]
    return [f"Not quite. {verdict.why}", "Choose again.", PRACTICE]
