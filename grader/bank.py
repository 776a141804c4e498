"""The bank of quiz questions: YAML files in a folder, each with a Python file that draws its numbers, if it has any."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_args

from grader.course import read_yaml
from grader.errors import CourseError
from grader.model import load_model
from grader.question import LETTERS, Choice, Kind, Question, Wrong
from grader.spelling import did_you_mean

if TYPE_CHECKING:
    from grader.course import Course


def load_bank(course: Course) -> tuple[Question, ...]:
    """Every question of the course, in the order of its files. Raises CourseError with every problem at once."""
    if course.quiz is None:
        return ()
    problems: list[str] = []
    bank: list[Question] = []
    codes = {each.name: list(course.words(each)) for each in course.exercises}
    for file in sorted(course.quiz.glob("*.yml")):
        bank += _read_file(file, course, codes, problems)
    names = [question.id for question in bank]
    problems += [
        f"{name}: there twice. Give each question an id of its own" for name in {*names} if names.count(name) > 1
    ]
    if problems:
        raise CourseError(problems, where=str(course.quiz), remedy="grader/bank.py says what a question holds.")
    return tuple(bank)


def _read_file(file: Path, course: Course, codes: Mapping[str, list[str]], problems: list[str]) -> list[Question]:
    draws = _generators(file.with_suffix(".py"), course)
    found = []
    for number, item in enumerate(read_yaml(file) or []):
        at = f"{file.name}: {item.get('id', f'question {number + 1}') if isinstance(item, dict) else number + 1}"
        try:
            question = _question(item, draws)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            problems.append(f"{at}: {type(error).__name__}: {error}")
            continue
        problems += [f"{at}: {problem}" for problem in (*_problems(question), *_unknown(question, codes))]
        found.append(question)
    return found


def _question(item: Mapping[str, Any], draws: Mapping[str, Callable[..., Any]]) -> Question:
    unknown = set(item) - {each.name for each in fields(Question)}
    if unknown:
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}")
    return Question(
        **{
            **item,
            "mistakes": tuple(item.get("mistakes", ())),
            "choices": tuple(Choice(**each) for each in item.get("choices", ())),
            "wrong": tuple(Wrong(**each) for each in item.get("wrong", ())),
            "steps": tuple(item.get("steps", ())),
            "draw": draws[item["draw"]] if "draw" in item else None,
        }
    )


def _problems(question: Question) -> list[str]:
    """What is wrong with a question of its kind."""
    if misfits := _misfits(question):
        return misfits
    right = sum(choice.right for choice in question.choices)
    answers = [question.answer, *(wrong.answer for wrong in question.wrong)]
    needs = {
        "one": (right == 1 and 3 <= len(question.choices) <= 5, "needs 3 to 5 choices, one of them right"),
        "spot": (
            right == 1 and bool(question.code and question.exercise),
            "needs code, its exercise, one right choice",
        ),
        "several": (2 <= right < len(question.choices) <= len(LETTERS), "needs two right choices and a wrong one"),
        "number": (question.draw is not None and 0 < question.tolerance < inf, "needs `draw` and a tolerance above 0"),
        "shape": (all(map(_is_shape, answers)), "needs answers such as [3, 5]"),
        "mask": (all(map(_is_mask, answers)), 'needs answers such as ["10", "11"]'),
        "order": (3 <= len(question.steps) <= len(LETTERS), f"needs 3 to {len(LETTERS)} steps"),
    }
    if question.kind not in get_args(Kind):
        return [f"kind {question.kind!r} is none of {', '.join(get_args(Kind))}"]
    if question.draw is not None and question.kind != "number":
        return ["only questions of kind number draw their answers"]
    if question.answer is not None and question.answer in answers[1:]:
        return ["a wrong answer is the right one"]
    fits, what = needs[question.kind]
    return [] if fits else [f"a question of kind {question.kind} {what}"]


def _misfits(question: Question) -> list[str]:
    """What is no text, or no switch, where one is meant: YAML takes 8 for a number and yes for true."""
    texts = {
        name: getattr(question, name) for name in ("id", "kind", "topic", "question", "explanation", "code", "source")
    }
    for number, choice in enumerate(question.choices):
        texts |= {f"choices[{number}].text": choice.text, f"choices[{number}].why": choice.why}
    texts |= {f"wrong[{number}].why": wrong.why for number, wrong in enumerate(question.wrong)}
    texts |= {f"steps[{number}]": step for number, step in enumerate(question.steps)}
    problems = [
        f"{name}: expected a text, got {text!r:.40}" for name, text in texts.items() if not isinstance(text, str)
    ]
    switches = [choice.right for choice in question.choices if not isinstance(choice.right, bool)]
    problems += [f"right: expected true or false, got {switch!r:.40}" for switch in switches]
    if isinstance(question.tolerance, bool) or not isinstance(question.tolerance, (int, float)):
        problems.append(f"tolerance: expected a number, got {question.tolerance!r:.40}")
    return problems


def _is_shape(answer: Any) -> bool:
    return isinstance(answer, list) and all(type(size) is int and size >= 0 for size in answer)


def _is_mask(answer: Any) -> bool:
    rows = isinstance(answer, list) and bool(answer) and all(isinstance(row, str) for row in answer)
    return rows and all(re.fullmatch("[01]+", row) and len(row) == len(answer[0]) for row in answer)


def _unknown(question: Question, codes: Mapping[str, list[str]]) -> list[str]:
    """What it names that the course does not have: mistakes, an exercise, an id that cannot be typed."""
    known = sorted({code for some in codes.values() for code in some})
    embodied = [*(choice.mistake for choice in question.choices), *(wrong.mistake for wrong in question.wrong)]
    named = [*question.mistakes, *filter(None, embodied)]
    problems = [f"no mistake has the code {code!r}{_meant(code, known)}" for code in named if code not in known]
    if question.exercise and question.exercise not in codes:
        problems.append(f"there is no exercise {question.exercise!r}{_meant(question.exercise, list(codes))}")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", str(question.id)):
        problems.append("an id is lower-case words joined by hyphens, such as rows-sum-to-one")
    return problems


def _meant(name: str, known: list[str]) -> str:
    meant = did_you_mean(str(name), known).rstrip()
    return f". {meant}" if meant else ""


def _generators(file: Path, course: Course) -> dict[str, Callable[..., Any]]:
    """What draws numbers: each function of the file, given the course's right functions."""
    if not file.exists():
        return {}
    models = {each.function: load_model(each.model, each.function) for each in course.exercises if each.model}
    reference = SimpleNamespace(**{name: model.function for name, model in models.items()})
    try:
        functions = runpy.run_path(str(file))
    except (Exception, SystemExit) as error:
        problem = f"no generators: {type(error).__name__}: {error}"
        raise CourseError([problem], where=str(file), remedy="grader/bank.py says what a question holds.") from error
    return {name: partial(each, reference=reference) for name, each in functions.items() if callable(each)}
