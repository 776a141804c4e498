"""What each kind of question becomes in each format, and the bank as items that a format can hold."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from grader.question import CHOSEN, LETTERS, Choice, Kind, Posed, Question, pose
from grader.question import form as asked_for

Form = Literal["single", "multiple", "number", "text"]
Target = Literal["moodle", "qti", "anki"]

INSTANCES = 3
ORDERS = 4

# What each format calls a form.
CALLED: Mapping[Target, Mapping[Form, str]] = {
    "moodle": {
        "single": "`multichoice`, one answer",
        "multiple": "`multichoice`, several answers",
        "number": "`numerical`",
        "text": "`shortanswer`",
    },
    "qti": {
        "single": "`multiple_choice_question`",
        "multiple": "`multiple_answers_question`",
        "number": "`numerical_question`",
        "text": "`short_answer_question`",
    },
    "anki": {
        "single": "card with lettered choices",
        "multiple": "card with lettered choices, several right",
        "number": "card without choices",
        "text": "card without choices",
    },
}


@dataclass(frozen=True, slots=True)
class Nearest:
    """A row of the table: the form a kind takes in each format, what is done to it on the way, and why so."""

    forms: Mapping[Target, Form]
    why: str


NEAREST: Mapping[Kind, Nearest] = {
    "one": Nearest(
        {"moodle": "single", "qti": "single", "anki": "single"},
        "Nothing changes.",
    ),
    "several": Nearest(
        {"moodle": "multiple", "qti": "multiple", "anki": "multiple"},
        "Nothing changes. In Moodle the right choices share 100 %, the wrong ones -100 %, so that ticking all earns "
        "nothing; Canvas does its own arithmetic.",
    ),
    "spot": Nearest(
        {"moodle": "single", "qti": "single", "anki": "single"},
        "The code stands below the question as preformatted text.",
    ),
    "number": Nearest(
        {"moodle": "number", "qti": "number", "anki": "number"},
        "None of them can run our generators, so each question travels as three, with the numbers drawn by three "
        "seeds. Answers are rounded to a hundredth of the tolerance.",
    ),
    "shape": Nearest(
        {"moodle": "text", "qti": "single", "anki": "text"},
        "Recalling teaches more than recognising, and Moodle's short answers have room for every usual spelling and "
        "for what is wrong with a wrong one. Canvas's have no room for wrong answers, so there they are the choices. "
        "A card is judged by its reader.",
    ),
    "mask": Nearest(
        {"moodle": "text", "qti": "single", "anki": "text"},
        "As for a shape.",
    ),
    "order": Nearest(
        {"moodle": "single", "qti": "single", "anki": "single"},
        "Moodle orders steps only from 4.4 on, Canvas's classic quizzes and Anki never do. The steps are numbered, and "
        "four orders are offered: the right one and three with one step out of its place.",
    ),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to be typed, in every spelling that counts. The first spelling is the one to show."""

    spellings: tuple[str, ...]
    why: str = ""
    right: bool = False
    mistake: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of an export. Forms single and multiple have `choices`; number and text `answers`, the right one first.

    `id` is the question's; an instance of a number question adds .1, .2 or .3. `how` says what an answer looks like.
    """

    id: str
    form: Form
    question: Question
    text: str
    choices: tuple[Choice, ...] = ()
    answers: tuple[Answer, ...] = ()
    how: str = ""


def items(bank: Sequence[Question], target: Target, seed: int) -> list[Item]:
    """The bank as items of the target's forms, in the bank's order.

    The seed shuffles choices and steps; the instances of a number question are drawn by `seed` to `seed + 2`.
    """
    return [item for question in bank for item in _items(question, NEAREST[question.kind].forms[target], seed)]


def digest(*parts: object) -> str:
    """A SHA-256 digest, in hexadecimal, of what identifies something: equal parts give equal digests for ever."""
    return hashlib.sha256("\n".join(map(str, parts)).encode("utf-8", "backslashreplace")).hexdigest()


def _items(question: Question, form: Form, seed: int) -> Iterator[Item]:
    if question.kind == "number":
        for number in range(INSTANCES):
            yield _number(f"{question.id}.{number + 1}", pose(question, seed + number))
        return
    posed = pose(question, seed)
    if question.kind == "order":
        yield _order(posed, seed)
    elif question.kind in CHOSEN:
        yield Item(question.id, form, question, posed.text, posed.choices)
    elif form == "single" and posed.wrong:
        yield _offered(posed, seed)
    else:
        yield _typed(posed)


# ── numbers ────────────────────────────────────────────────────────────────────────────────────────


def _number(name: str, posed: Posed) -> Item:
    tolerance = posed.question.tolerance
    wrong = (Answer((rounded(each.answer, tolerance),), each.why, mistake=each.mistake) for each in posed.wrong)
    right = Answer((rounded(posed.answer, tolerance),), right=True)
    return Item(name, "number", posed.question, posed.text, answers=(right, *wrong))


def rounded(value: float, tolerance: float) -> str:
    """The number in digits, rounded to a hundredth of the tolerance, without an exponent."""
    places = max(0, 2 - math.floor(math.log10(tolerance)))
    digits = f"{value:.{places}f}"
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return "0" if digits == "-0" else digits


# ── shapes and masks ───────────────────────────────────────────────────────────────────────────────


def _typed(posed: Posed) -> Item:
    wrong = (Answer(spellings(each.answer), each.why, mistake=each.mistake) for each in posed.wrong)
    right = Answer(spellings(posed.answer), right=True)
    how = f"Type {asked_for(posed)}."
    return Item(posed.question.id, "text", posed.question, posed.text, answers=(right, *wrong), how=how)


def _offered(posed: Posed, seed: int) -> Item:
    wrong = (Choice(_shown(each.answer), each.why, mistake=each.mistake) for each in posed.wrong)
    choices = _shuffled([Choice(_shown(posed.answer), "", right=True), *wrong], posed.question, seed)
    return Item(posed.question.id, "single", posed.question, posed.text, choices)


def spellings(answer: Sequence[Any]) -> tuple[str, ...]:
    """The usual ways of typing a shape, (3, 5), or a mask, ("10", "11"); the grader's own quiz takes each of them."""
    return _mask_spellings(answer) if answer and isinstance(answer[0], str) else _shape_spellings(answer)


def _shape_spellings(shape: Sequence[int]) -> tuple[str, ...]:
    if len(shape) < 2:
        inside = "".join(map(str, shape))
        return (f"({inside},)", f"({inside}, )", f"({inside})", f"[{inside}]", inside) if shape else ("()",)
    spaced, tight = ", ".join(map(str, shape)), ",".join(map(str, shape))
    listed = tuple(mark.format(inside) for mark in ("({})", "[{}]", "{}") for inside in (spaced, tight))
    return (*listed, *(between.join(map(str, shape)) for between in (" x ", "x", " × ", "×", " ")))


def _mask_spellings(rows: Sequence[str]) -> tuple[str, ...]:
    plain = tuple(between.join(rows) for between in (" ", "", ", ", ",", "; ", ";", " / ", "/"))
    spread = tuple(between.join(" ".join(row) for row in rows) for between in (" ", ", ", "; "))
    numbers = str([[int(digit) for digit in row] for row in rows])
    words = str([[digit == "1" for digit in row] for row in rows])
    return (*plain, *spread, numbers, numbers.replace(" ", ""), words, words.replace(" ", ""))


def _shown(answer: Sequence[Any]) -> str:
    """As a choice: a shape as Python writes it, a mask row by row."""
    masks = bool(answer) and isinstance(answer[0], str)
    return "\n".join(f"`{row}`" for row in answer) if masks else f"`{spellings(answer)[0]}`"


# ── orders ─────────────────────────────────────────────────────────────────────────────────────────


def _order(posed: Posed, seed: int) -> Item:
    question = posed.question
    right = tuple(LETTERS.index(letter) + 1 for letter in posed.answer)
    wrong = sorted(_slips(right), key=lambda order: digest(seed, question.id, order))[: ORDERS - 1]
    offered = [Choice(_row(right), "", right=True), *(Choice(_row(order), _slip(order, right)) for order in wrong)]
    steps = (f"{number}. {step.text}" for number, step in enumerate(posed.choices, 1))
    text = "\n".join((posed.text, *steps, "Which order is right?"))
    return Item(question.id, "single", question, text, _shuffled(offered, question, seed))


def _slips(right: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Every order that comes about when one step is put in another place."""
    found = set()
    for place, step in enumerate(right):
        others = right[:place] + right[place + 1 :]
        found |= {(*others[:to], step, *others[to:]) for to in range(len(right))}
    return found - {right}


def _slip(order: tuple[int, ...], right: tuple[int, ...]) -> str:
    """What is wrong with an order: two steps that follow one another in the right one and are the other way round."""
    first, second = next(pair for pair in pairwise(right) if order.index(pair[0]) > order.index(pair[1]))
    return f"Here step {second} comes before step {first}. It belongs after it."


def _row(order: tuple[int, ...]) -> str:
    return ", ".join(map(str, order))


def _shuffled(choices: list[Choice], question: Question, seed: int) -> tuple[Choice, ...]:
    return tuple(sorted(choices, key=lambda choice: digest(seed, question.id, choice.text)))
