"""A question is posed the same for a seed, and judged on what was typed: right, wrong and why, or no answer at all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.question import Choice, Malformed, Posed, Question, Verdict, Wrong, form, judge, pose

CHOICES = (
    Choice("the sum", "It is not.", mistake="not-normalised"),
    Choice("the mean", "It is.", right=True),
    Choice("the root", "No root is taken."),
)
BOTH = (*CHOICES, Choice("the average", "The same.", right=True))


def made(kind: Any, **fields: Any) -> Question:
    return Question("what-is-it", kind, "numbers", fields.pop("question", "What is it?"), "So it is.", **fields)


def doubled(rng: np.random.Generator) -> tuple[dict[str, Any], float, list[tuple[float, str, str]]]:
    n = int(rng.integers(1, 1000))
    return {"n": n}, 2.0 * n, [(float(n), "no-softmax", "Not doubled.")]


ONE = made("one", choices=CHOICES)
SPOT = made("spot", choices=CHOICES, code="x = 1", exercise="attention")
SEVERAL = made("several", choices=BOTH)
NUMBER = made("number", question="Twice {n}?", draw=doubled, tolerance=0.1)
SHAPE = made("shape", answer=[3, 5], wrong=(Wrong([5, 3], "Turned round.", "transposed-scores"),))
MASK = made("mask", answer=["100", "110"], wrong=(Wrong(["111", "111"], "Everything.", "mask-ignored"),))
ORDER = made("order", steps=("wake", "wash", "eat", "leave"))
ALL = (ONE, SPOT, SEVERAL, NUMBER, SHAPE, MASK, ORDER)
every_kind = pytest.mark.parametrize("question", ALL, ids=lambda question: question.kind)


def letter(posed: Posed, text: str) -> str:
    return "abcd"[[choice.text for choice in posed.choices].index(text)]


@every_kind
def test_a_seed_gives_the_same_question_every_time(question: Question) -> None:
    """Seed for seed the same text, order and answer."""
    assert [pose(question, seed) for seed in range(5)] == [pose(question, seed) for seed in range(5)]


@pytest.mark.parametrize("question", [ONE, SPOT, SEVERAL, NUMBER, ORDER], ids=lambda question: question.kind)
def test_seeds_differ(question: Question) -> None:
    """Other seeds give other numbers and another order."""
    posed = [pose(question, seed) for seed in range(20)]
    assert len({(each.text, each.choices) for each in posed}) > 3


@pytest.mark.parametrize("question", [ONE, SPOT], ids=lambda question: question.kind)
def test_the_one_right_choice_is_right_wherever_it_stands(question: Question) -> None:
    """The letter of the right choice is right and says why; a wrong one says its own why and names its mistake."""
    for seed in range(10):
        posed = pose(question, seed)
        assert judge(posed, f" {letter(posed, 'the mean').upper()} ") == Verdict(True, "It is.")
        assert judge(posed, letter(posed, "the sum")) == Verdict(False, "It is not.", "not-normalised")
        assert judge(posed, letter(posed, "the root")) == Verdict(False, "No root is taken.")


def test_several_are_right_together_only() -> None:
    """All that apply and no other; what is missing is explained where nothing wrong was taken."""
    posed = pose(SEVERAL, 3)
    mean, average, root = (letter(posed, text) for text in ("the mean", "the average", "the root"))
    assert judge(posed, mean + average).right
    assert judge(posed, f"{average}, {mean}").right
    assert judge(posed, mean) == Verdict(False, "The same.")
    assert judge(posed, mean + average + root) == Verdict(False, "No root is taken.")


def test_a_number_is_right_within_its_tolerance() -> None:
    """Fractions, exponents, a decimal comma and a real minus are numbers; a likely wrong one is explained."""
    posed = pose(NUMBER, 0)
    right = posed.answer
    for typed in (
        f"{right}",
        f"{right + 0.09}",
        f"{right:.0f}/1",
        f"{right / 1000}e3",
        f"{right:.1f}".replace(".", ","),
    ):
        assert judge(posed, typed).right, typed
    assert not judge(posed, f"{right + 0.2}").right
    assert judge(posed, f"{right / 2}") == Verdict(False, "Not doubled.", "no-softmax")
    assert judge(posed, f"−{right}") == Verdict(False, "")


@pytest.mark.parametrize("typed", ["(3, 5)", "3,5", "[3 5]", "3x5", "3 × 5", "(3,5,)"])
def test_a_shape_is_right_however_it_is_written(typed: str) -> None:
    """Brackets, commas and crosses do not matter."""
    assert judge(pose(SHAPE, 0), typed).right


def test_a_wrong_shape_is_explained() -> None:
    """A shape to be expected says why it is wrong, another one is just wrong."""
    assert judge(pose(SHAPE, 0), "5, 3") == Verdict(False, "Turned round.", "transposed-scores")
    assert judge(pose(SHAPE, 0), "3, 5, 1") == Verdict(False, "")


@pytest.mark.parametrize("typed", ["100 110", "100110", "100/110", "[[1,0,0],[1,1,0]]", "[True False False] [1 1 0]"])
def test_a_mask_is_right_however_it_is_written(typed: str) -> None:
    """Digits or words, with or without brackets."""
    assert judge(pose(MASK, 0), typed).right


def test_a_wrong_mask_is_explained() -> None:
    """A mask to be expected says why it is wrong, another one is just wrong."""
    assert judge(pose(MASK, 0), "111 111") == Verdict(False, "Everything.", "mask-ignored")
    assert judge(pose(MASK, 0), "000 000") == Verdict(False, "")


def test_steps_are_right_in_one_order_and_never_shown_in_it() -> None:
    """The letters of the steps as they follow one another."""
    for seed in range(30):
        posed = pose(ORDER, seed)
        right = "".join(letter(posed, step) for step in ORDER.steps)
        assert right != "abcd"
        assert judge(posed, " ".join(right)).right
        assert judge(posed, right[::-1]) == Verdict(False, "")


MALFORMED = {
    "one": ["", "e", "ab", "1", "the mean"],
    "spot": ["", "d", "bc"],
    "several": ["", "aa", "ae", "?"],
    "number": ["", "many", "1/0", "nan", "inf", "1e999", "1.2.3", "16,000", "1 2", "2**3", "."],
    "shape": ["", "three", "3.5", "(-1, 2)", "()x()", "9" * 5000],
    "mask": ["", "10", "100 11", "100 112", "100 110 111"],
    "order": ["", "abc", "aabc", "abcde", "a"],
}


@every_kind
def test_what_is_no_answer_is_malformed_and_says_what_one_looks_like(question: Question) -> None:
    """Neither right nor wrong: the message holds an answer that would be one."""
    posed = pose(question, 1)
    for typed in MALFORMED[question.kind]:
        with pytest.raises(Malformed, match=r"^(type|write) .*(one letter|such as|comma)"):
            judge(posed, typed)


@every_kind
def test_the_example_of_an_answer_is_one(question: Question) -> None:
    """What `form` shows after "such as" can be judged."""
    posed = pose(question, 1)
    example = form(posed).partition("such as ")[2].partition(" or ")[0] or "a"
    for typed in [example] if question.kind == "shape" else example.split(", "):
        judge(posed, typed)


@every_kind
@settings(max_examples=150, deadline=None)
@given(typed=st.one_of(st.text(), st.text(alphabet="0123456789abcdex/.,()[]×−-+ \u0663²\n", max_size=20)))
def test_nothing_that_can_be_typed_is_a_fault(question: Question, typed: str) -> None:
    """Whatever is typed is right, wrong or malformed: nothing else is ever raised."""
    try:
        verdict = judge(pose(question, 1), typed)
    except Malformed:
        return
    assert isinstance(verdict.right, bool)
