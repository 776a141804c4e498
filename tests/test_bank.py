"""The bank: wide enough, true, not to be guessed by looks; and a fault in it is an error that says where."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grader.bank import load_bank
from grader.course import Course, load_course
from grader.errors import CourseError
from grader.question import LETTERS, Question, judge, pose
from grader.report import Report

COURSE = load_course(Path(__file__).parents[1])
BANK = load_bank(COURSE)
CODES = {code for exercise in COURSE.exercises for code in COURSE.words(exercise)}


def of(*kinds: str) -> list[Question]:
    return [question for question in BANK if question.kind in kinds]


def each(*kinds: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("question", of(*kinds), ids=lambda question: question.id)


# ── wide enough ────────────────────────────────────────────────────────────────────────────────────


def test_there_are_questions_enough_of_every_kind() -> None:
    """At least 60, and every kind at least three times."""
    assert len(BANK) >= 60
    counts = Counter(question.kind for question in BANK)
    assert all(counts[kind] >= 3 for kind in ("one", "several", "number", "shape", "mask", "spot", "order")), counts


def test_the_first_question_is_the_lessons_quick_check() -> None:
    """Why divide by √d_k, and why before the softmax?"""
    assert "√d_k" in BANK[0].question
    assert "before" in BANK[0].question


def test_every_mistake_of_the_catalogue_has_a_question() -> None:
    """Whatever a report can name, there is something to practise on."""
    assert not CODES - {code for question in BANK for code in question.mistakes}


def test_every_question_explains_itself() -> None:
    """A topic, a question and an explanation; ids in kebab-case, each once."""
    for question in BANK:
        assert question.topic.strip()
        assert question.question.strip()
        assert question.explanation.strip(), question.id
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", question.id), question.id
    assert len({question.id for question in BANK}) == len(BANK)


# ── a wrong answer teaches ─────────────────────────────────────────────────────────────────────────


def test_every_choice_says_why() -> None:
    """Also the right one."""
    assert not [(q.id, choice.text) for q in of("one", "several", "spot") for choice in q.choices if not choice.why]
    assert not [(q.id, wrong.answer) for q in of("shape", "mask") for wrong in q.wrong if not wrong.why]


def test_most_distractors_name_the_mistake_they_embody() -> None:
    """At least half of them, and only codes of the catalogue."""
    named = [choice.mistake for q in of("one", "several", "spot") for choice in q.choices if not choice.right]
    named += [wrong.mistake for q in of("shape", "mask", "number") for wrong in pose(q, 0).wrong]
    assert sum(map(bool, named)) >= len(named) / 2
    assert not {*filter(None, named)} - CODES


# ── no right answer is known by its looks ──────────────────────────────────────────────────────────


def test_the_right_choice_stands_in_every_place_alike() -> None:
    """Over 50 seeds the places of the right choice are uniform: chi-square with 3 degrees of freedom below 16.3.

    So much is exceeded once in a thousand (any table of the distribution).
    """
    questions = [question for question in of("one", "spot") if len(question.choices) == 4]
    places = Counter(pose(question, seed).answer for question in questions for seed in range(50))
    expected = len(questions) * 50 / 4
    assert sum((places[letter] - expected) ** 2 / expected for letter in "abcd") < 16.3, places


@pytest.mark.parametrize("extreme", [max, min], ids=["longest", "shortest"])
def test_the_right_choice_is_not_known_by_its_length(extreme: Callable[..., int]) -> None:
    """The right choice is the longest, and the shortest, about as often as chance has it: within 2.6 deviations."""
    hits = expected = variance = 0.0
    for question in of("one", "spot"):
        lengths = [len(choice.text) for choice in question.choices]
        ends = [choice.right for choice in question.choices if len(choice.text) == extreme(lengths)]
        hits += sum(ends) / len(ends)
        chance = 1 / len(lengths)
        expected += chance
        variance += chance * (1 - chance)
    assert abs(hits - expected) <= 2.6 * math.sqrt(variance), (hits, expected)


def test_the_number_of_right_choices_is_not_known_beforehand() -> None:
    """Where several apply, it is not always as many."""
    assert len({sum(choice.right for choice in question.choices) for question in of("several")}) > 1


# ── true ───────────────────────────────────────────────────────────────────────────────────────────


@each("spot")
def test_the_grader_names_what_a_spotted_function_does(question: Question, grade_text: Callable[..., Report]) -> None:
    """The right choice's mistake is the only one the grader finds, and it is sure; without one all is right."""
    report = grade_text({f"{question.exercise}.py": f"import numpy as np\n\n{question.code}"}, question.exercise)
    (right,) = [choice for choice in question.choices if choice.right]
    found = [(mistake.code, mistake.certainty) for mistake in report.exercises[0].mistakes]
    assert found == ([(right.mistake, "matched")] if right.mistake else [])
    assert (report.score == report.max_score) is not bool(right.mistake)
    assert not right.mistake or right.mistake in question.mistakes


@each("number")
def test_numbers_are_drawn_apart(question: Question) -> None:
    """Over 50 seeds: finite, the answer right and shown rounded still right, each wrong one wrong and explained."""
    texts = set()
    for seed in range(50):
        posed = pose(question, seed)
        texts.add(posed.text)
        assert not re.search(r"[{}]", posed.text)
        assert math.isfinite(posed.answer)
        assert judge(posed, f"{posed.answer:.12g}").right
        for wrong in posed.wrong:
            assert math.isfinite(wrong.answer)
            assert abs(wrong.answer - posed.answer) > 5 * question.tolerance, (seed, posed.text)
            assert not judge(posed, f"{wrong.answer:.12g}").right
            assert wrong.why
            assert not wrong.mistake or wrong.mistake in CODES
    assert len(texts) > 3


@each("shape", "mask")
def test_wrong_shapes_and_masks_are_wrong(question: Question) -> None:
    """The answer is right, each wrong one wrong with its own why, and no two are the same."""
    posed = pose(question, 0)
    assert judge(posed, f"{' '.join(map(str, posed.answer))}").right
    answers = [posed.answer, *(wrong.answer for wrong in posed.wrong)]
    assert len(set(answers)) == len(answers) > 2
    for wrong in posed.wrong:
        verdict = judge(posed, " ".join(map(str, wrong.answer)))
        assert (verdict.right, verdict.why, verdict.mistake) == (False, wrong.why, wrong.mistake)


@each("one", "several", "spot", "order")
def test_the_right_letters_are_right_and_others_are_not(question: Question) -> None:
    """On ten seeds, by letters alone."""
    for seed in range(10):
        posed = pose(question, seed)
        assert judge(posed, posed.answer).right
        offered = LETTERS[: len(posed.choices)]
        if question.kind in ("one", "spot"):
            assert sum(judge(posed, letter).right for letter in offered) == 1
        elif question.kind == "several":
            assert not judge(posed, offered).right
        else:
            assert not judge(posed, offered).right


# ── a fault in a bank ──────────────────────────────────────────────────────────────────────────────

SOUND = """
- id: what-is-it
  kind: one
  topic: numbers
  mistakes: [overflow]
  question: What?
  explanation: That.
  choices:
    - {text: this, why: No., mistake: overflow}
    - {text: that, why: Yes., right: true}
    - {text: those, why: Never.}
"""


def read(text: str, course: Course, folder: Path) -> tuple[Question, ...]:
    (folder / "bank.yml").write_text(text, encoding="utf-8")
    return load_bank(replace(course, quiz=folder))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("mistakes: [overflow]", "mistakes: [overflw]", "no mistake has the code 'overflw'. Did you mean 'overflow'"),
        ("mistake: overflow}", "mistake: weak-msk}", "no mistake has the code 'weak-msk'. Did you mean 'weak-mask'"),
        ("what-is-it", "What is it", "lower-case words"),
        ("kind: one", "kind: two", "kind 'two' is none of one, several"),
        ("right: true", "right: false", "one of them right"),
        ("topic:", "theme:", "unknown: theme"),
        ("text: this, ", "", "text"),
        ("kind: one", "kind: number", "`draw`"),
        ("kind: one", "draw: nothing\n  kind: one", "nothing"),
        ("topic: numbers", "topic: numbers\n  exercise: sofmax", "no exercise 'sofmax'. Did you mean 'softmax'"),
    ],
)
def test_a_fault_is_an_error_that_says_where(tmp_path: Path, course: Course, old: str, new: str, said: str) -> None:
    """File, question, what is wrong and what was perhaps meant; the sound one is read."""
    assert read(SOUND, course, tmp_path)[0].id == "what-is-it"
    assert old in SOUND
    with pytest.raises(CourseError) as caught:
        read(SOUND.replace(old, new), course, tmp_path)
    assert said in str(caught.value)
    assert "bank.yml: " in str(caught.value)


def test_an_id_that_is_there_twice_is_an_error(tmp_path: Path, course: Course) -> None:
    """For a card belongs to one question."""
    with pytest.raises(CourseError, match="what-is-it: there twice"):
        read(SOUND + SOUND, course, tmp_path)


def test_a_course_without_a_quiz_has_no_questions(tiny: Course) -> None:
    """Nothing to load is no fault."""
    assert load_bank(tiny) == ()
