"""A quiz question: posed with a seed, which draws numbers and shuffles choices, and judged on what was typed."""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Kind = Literal["one", "several", "number", "shape", "mask", "spot", "order"]
LETTERS = "abcdefgh"
CHOSEN = ("one", "several", "spot")


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the answers offered. `mistake` is the code of the mistake it embodies, where it does."""

    text: str
    why: str
    right: bool = False
    mistake: str = ""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong answer to be expected where nothing is offered, and why it is wrong."""

    answer: Any
    why: str
    mistake: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """One question. Which of the fields below `explanation` it has, its kind says.

    `answer` is a shape as a list, a mask as rows of 0 and 1, a number; `draw` names what draws a number question's
    values; `steps` are in the right order; `tolerance` is absolute.
    """

    id: str
    kind: Kind
    topic: str
    question: str
    explanation: str
    mistakes: tuple[str, ...] = ()
    code: str = ""
    source: str = ""
    exercise: str = ""
    choices: tuple[Choice, ...] = ()
    answer: Any = None
    wrong: tuple[Wrong, ...] = ()
    steps: tuple[str, ...] = ()
    draw: Callable[..., Any] | None = field(default=None, compare=False)
    tolerance: float = 0.0


@dataclass(frozen=True, slots=True)
class Posed:
    """A question as it is put once: numbers drawn, choices or steps in the order shown. `answer` is in canonical form.

    Canonical: the letters of the right choices, sorted ("b", "acd"); the letters of the steps in their right order; a
    number; a tuple of whole numbers; a tuple of rows of 0 and 1.
    """

    question: Question
    text: str
    choices: tuple[Choice, ...]
    answer: Any
    wrong: tuple[Wrong, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer was worth: `why` speaks to the answer given, `mistake` is the code it betrays, "" for none."""

    right: bool
    why: str
    mistake: str = ""


class Malformed(Exception):
    """What was typed is no answer of this kind; the message says what one looks like. Nothing is counted."""


# ── posing ─────────────────────────────────────────────────────────────────────────────────────────


def pose(question: Question, seed: int) -> Posed:
    """The question with its numbers drawn and its choices shuffled; the same for a seed every time."""
    import numpy as np

    rng = np.random.default_rng([seed, zlib.crc32(question.id.encode())])
    if question.draw is not None:
        values, answer, wrong = question.draw(rng)
        text = question.question.format(**values)
        return Posed(question, text, (), float(answer), tuple(Wrong(float(a), why, code) for a, code, why in wrong))
    if question.kind == "order":
        return _shuffled_steps(question, rng)
    if question.kind in CHOSEN:
        choices = tuple(question.choices[int(place)] for place in rng.permutation(len(question.choices)))
        answer = "".join(letter for letter, choice in zip(LETTERS, choices, strict=False) if choice.right)
        return Posed(question, question.question, choices, answer)
    wrong = tuple(replace(each, answer=tuple(each.answer)) for each in question.wrong)
    return Posed(question, question.question, (), tuple(question.answer), wrong)


def _shuffled_steps(question: Question, rng: Any) -> Posed:
    count = len(question.steps)
    orders = [order for order in itertools.permutations(range(count)) if order != tuple(range(count))]
    shown = orders[int(rng.integers(len(orders)))]
    choices = tuple(Choice(question.steps[place], "") for place in shown)
    return Posed(question, question.question, choices, "".join(LETTERS[shown.index(place)] for place in range(count)))


def as_typed(answer: Any) -> str:
    """An answer in canonical form as one would type it: "acd", "0.25", "(3, 5)", "10 11"."""
    if isinstance(answer, tuple):
        return " ".join(answer) if answer and isinstance(answer[0], str) else str(answer)
    return repr(answer) if isinstance(answer, float) else str(answer)


# ── judging ────────────────────────────────────────────────────────────────────────────────────────


def judge(posed: Posed, typed: str) -> Verdict:
    """Whether `typed` answers the question. Raises Malformed where it is no answer at all."""
    answer = _READERS[posed.question.kind](posed, typed.strip().lower())
    return _judge_chosen(posed, answer) if posed.question.kind in CHOSEN else _judge_free(posed, answer)


def _judge_chosen(posed: Posed, letters: str) -> Verdict:
    wrongly = [c for letter, c in zip(LETTERS, posed.choices, strict=False) if (letter in letters) != c.right]
    if not wrongly:
        return Verdict(True, " ".join(choice.why for choice in posed.choices if choice.right))
    taken = [choice for choice in wrongly if not choice.right] or wrongly
    return Verdict(False, " ".join(each.why for each in taken), next((c.mistake for c in taken if c.mistake), ""))


def _judge_free(posed: Posed, answer: Any) -> Verdict:
    tolerance = posed.question.tolerance
    if _same(answer, posed.answer, tolerance):
        return Verdict(True, "")
    for wrong in posed.wrong:
        if _same(answer, wrong.answer, tolerance):
            return Verdict(False, wrong.why, wrong.mistake)
    return Verdict(False, "")


def _same(given: Any, expected: Any, tolerance: float) -> bool:
    if isinstance(expected, float):
        return bool(abs(given - expected) <= tolerance + 1e-9 * abs(expected))
    return bool(given == expected)


def form(posed: Posed) -> str:
    """What an answer looks like, in words that can follow "type"."""
    offered = LETTERS[: len(posed.choices)]
    match posed.question.kind:
        case "number":
            return "a number, such as 0.25, 1/4 or 2e3"
        case "shape":
            return "a shape, such as (3, 5)"
        case "mask":
            return _form_of_mask(len(posed.answer), len(posed.answer[0]))
        case "order":
            return f"the letters {offered[0]} to {offered[-1]} in the right order, such as {offered[::-1]}"
        case "several":
            return f"the letters of all that apply, such as {offered[0]}{offered[-1]}"
    return f"one letter, {offered[0]} to {offered[-1]}"


def _form_of_mask(count: int, width: int) -> str:
    rows = f"{count} rows of {width} digits" if count > 1 else f"{width} digits"
    return f"{rows}, 1 for True and 0 for False, such as {' '.join(['10101010'[:width]] * count)}"


def _letters(posed: Posed, typed: str) -> str:
    offered = LETTERS[: len(posed.choices)]
    letters = re.sub(r"[\s,;]+", "", typed)
    several, every = posed.question.kind == "several", posed.question.kind == "order"
    fits = len(set(letters)) == len(letters) and set(letters) <= set(offered)
    if every and fits and len(letters) == len(offered):
        return letters
    if not every and fits and (len(letters) == 1 or (several and letters)):
        return "".join(sorted(letters))
    raise Malformed(f"type {form(posed)}")


def _number(posed: Posed, typed: str) -> float:
    if re.fullmatch(r"[-+]?[1-9]\d{0,2}(,\d{3})+", typed):  # 16,000: a decimal comma to some, not to others
        raise Malformed("write the number without a comma")
    match = re.fullmatch(r"([-+]?[\d.]+(?:e[-+]?\d+)?)(?:\s*/\s*([\d.]+))?", typed.replace(",", ".").replace("−", "-"))
    try:
        value = float(match[1]) / float(match[2] or 1) if match else float("nan")
    except (ValueError, ZeroDivisionError):
        value = float("nan")
    if value - value == 0:  # finite
        return value
    raise Malformed(f"type {form(posed)}")


def _shape(posed: Posed, typed: str) -> tuple[int, ...]:
    numbers = re.findall(r"\d+", typed)
    if re.fullmatch(r"[\s()\[\],x×\d]{,99}", typed) and (numbers or typed.replace(" ", "") == "()"):
        return tuple(map(int, numbers))
    raise Malformed(f"type {form(posed)}")


def _mask(posed: Posed, typed: str) -> tuple[str, ...]:
    count, width = len(posed.answer), len(posed.answer[0])
    digits = re.sub(r"[\s\[\](),;/|]", "", typed.replace("true", "1").replace("false", "0"))
    if re.fullmatch("[01]+", digits) and len(digits) == count * width:
        return tuple(digits[row * width : (row + 1) * width] for row in range(count))
    raise Malformed(f"type {form(posed)}")


_READERS: Mapping[str, Callable[[Posed, str], Any]] = {
    "one": _letters,
    "several": _letters,
    "spot": _letters,
    "order": _letters,
    "number": _number,
    "shape": _shape,
    "mask": _mask,
}
