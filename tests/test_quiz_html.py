"""The quiz page asks every kind of question in a real browser: by keys, by clicks, without a network, and remembers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest

from grader.bank import load_bank
from grader.course import Course
from grader.question import Choice, Malformed, Posed, Question, Wrong, judge, pose
from grader.quiz_export import FORMATS
from grader.quiz_export.html import INSTANCES, export

in_browser = pytest.mark.tool("chromium")
KINDS = ("one", "several", "number", "shape", "mask", "spot", "order")
KEY = "grade-quiz:attention:1"


# ── a small bank: a question of each kind, of its own topic ────────────────────────────────────────


def _draw(rng: Any) -> Any:
    n = int(rng.integers(10, 1000))
    return {"n": n}, n / 4, [(n / 2, "overflow", f"Half of {n} is not a quarter.")]


CHOICES = (
    Choice("The *first* `x`", "It is the first.", right=True),
    Choice("The second", "It is the second.", mistake="overflow"),
    Choice("The third", "It is the third."),
)


def _of(kind: str, **rest: Any) -> Question:
    return Question(kind, kind, f"about-{kind}", f"What about {kind}?", f"Because of {kind}.", **rest)  # type: ignore[arg-type]


SMALL = {
    "one": _of("one", choices=CHOICES, source="A book, section 1"),
    "several": _of("several", choices=(*CHOICES, Choice("The fourth", "It belongs there.", right=True))),
    "number": replace(_of("number", draw=_draw, tolerance=0.01), question="What is a quarter of {n}?"),
    "shape": _of("shape", answer=[3, 5], wrong=(Wrong([5, 3], "Rows come first.", "overflow"),)),
    "mask": _of("mask", answer=["100", "110"], wrong=(Wrong(["111", "011"], "The other way round.", "overflow"),)),
    "spot": _of("spot", choices=CHOICES, code="def f(x):\n    return x\n", exercise="softmax"),
    "order": _of("order", steps=("Take `x`", "Double it", "Hand it back", "Rest")),
}
MORE = tuple(replace(SMALL["one"], id=f"one-{number}", question=f"Number {number}?") for number in range(1, 7))


@pytest.fixture(scope="module")
def bank(course: Course) -> tuple[Question, ...]:
    return load_bank(course)


# ── a browser for all of this file, and a page that tolerates nothing ──────────────────────────────


Open = Callable[..., Any]


@pytest.fixture
def open_quiz(open_file: Open, course: Course, tmp_path: Path) -> Open:
    """Open a bank's page, as `open_file` does."""
    numbers = count()

    def opened(*questions: Question, before: str = "", **options: Any) -> Any:
        path = tmp_path / f"quiz-{next(numbers)}.html"
        path.write_bytes(export(questions, course))
        page = open_file(path, before, **{"reduced_motion": "reduce", **options})
        page.set_default_timeout(5000)
        return page

    return opened


# ── answering: what a learner does, by keys alone or by clicks alone ───────────────────────────────


def start(page: Any) -> None:
    page.get_by_role("button", name="Start", exact=True).click()


def asked(page: Any) -> str:
    return str(page.locator("article").get_attribute("data-id"))


def ask(page: Any, name: str) -> None:
    """Put a question out of turn."""
    page.evaluate("id => put(bank.questions.find((each) => each.id === id))", name)


def verdict(page: Any) -> str:
    return str(page.locator("#verdict").inner_text())


def order_shown(page: Any) -> list[str]:
    return [text.replace("`", "") for text in page.locator(".step").all_inner_texts()]


def posed(page: Any, question: Question) -> Posed:
    """The question with the numbers that stand on the page."""
    every = (pose(question, seed) for seed in range(INSTANCES if question.draw else 1))
    shown = page.locator("#text").inner_text()
    return next(each for each in every if question.draw is None or each.text == shown)


def answer_of(page: Any, question: Question, *, right: bool) -> Any:
    """What to answer: texts of choices, steps in an order, rows of a mask, or what to type."""
    if question.choices:
        return [re.sub("[*`]", "", choice.text) for choice in question.choices if choice.right is right]
    if question.steps:
        steps = [step.replace("`", "") for step in question.steps]
        return steps if right else [steps[1], steps[0], *steps[2:]]
    put = posed(page, question)
    answer = put.answer if right else put.wrong[0].answer
    return str(answer) if question.kind == "number" else answer


def answer_by_keys(page: Any, question: Question, answer: Any) -> None:
    keys = page.keyboard
    if question.choices:
        shown = page.locator("label.choice > span").all_inner_texts()
        for text in answer if question.kind == "several" else answer[:1]:
            keys.press("abcdefgh"[shown.index(text)])
    elif question.steps:
        for target, step in enumerate(answer):
            place = order_shown(page).index(step)
            keys.press(str(place + 1))
            for _ in range(place - target):
                keys.press("ArrowUp")
    else:
        keys.type("".join(answer) if question.kind == "mask" else str(answer))
    keys.press("Enter")


def answer_by_clicks(page: Any, question: Question, answer: Any) -> None:
    if question.choices:
        for text in answer if question.kind == "several" else answer[:1]:
            page.locator("label.choice").filter(has_text=text).click()
    elif question.steps:
        for target, step in enumerate(answer):
            for _ in range(order_shown(page).index(step) - target):
                page.get_by_role("button", name=f"Move up: {step}").click()
    elif question.kind == "mask":
        cells = page.get_by_role("checkbox").all()
        for cell, digit in zip(cells, "".join(answer), strict=True):
            if digit == "1":
                cell.click()
    else:
        page.get_by_label("Your answer").fill(str(answer))
    page.get_by_role("button", name="Answer").click()


def go(page: Any, questions: dict[str, Question], *, right: bool) -> str:
    """Answer the question that is asked, go on, and return its id."""
    name = asked(page)
    question = questions[name]
    answer_by_keys(page, question, answer_of(page, question, right=right))
    assert verdict(page) == ("Right" if right else "Not quite")
    page.keyboard.press("Enter")
    return name


def stored(page: Any, key: str = KEY) -> Any:
    text = page.evaluate("key => localStorage.getItem(key)", key)
    return None if text is None else json.loads(text)


def until(page: Any, there: Callable[[], bool]) -> None:
    """Wait for up to two seconds."""
    for _ in range(100):
        if there():
            return
        page.wait_for_timeout(20)


def focused(page: Any, selector: str) -> bool:
    return bool(page.evaluate("selector => document.activeElement.matches(selector)", selector))


WHY_RIGHT = {"one": "It is the first.", "spot": "It is the first.", "several": "It belongs there."}
WHY_WRONG = {
    "one": "It is the second.",
    "spot": "It is the second.",
    "several": "It is the second.",
    "number": "is not a quarter.",
    "shape": "Rows come first.",
    "mask": "The other way round.",
}


@in_browser
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_answered(open_quiz: Open, kind: str) -> None:
    """Each kind is answered right and wrong, by keys alone and by clicks alone; the page says why and what is right."""
    page = open_quiz(SMALL[kind], MORE[0])
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    for right in (True, False):
        _expect_question(page, kind)
        answer_by_keys(page, SMALL[kind], answer_of(page, SMALL[kind], right=right))
        _expect_feedback(page, SMALL[kind], right=right)
        page.keyboard.press("Enter")
        _expect_question(page, "one-1")
        ask(page, kind)
    page.reload()
    start(page)
    for right in (True, False):
        _expect_question(page, kind)
        answer_by_clicks(page, SMALL[kind], answer_of(page, SMALL[kind], right=right))
        _expect_feedback(page, SMALL[kind], right=right)
        page.get_by_role("button", name="Next").click()
        _expect_question(page, "one-1")
        ask(page, kind)


def _expect_question(page: Any, name: str) -> None:
    assert asked(page) == name
    assert focused(page, "article")


def _expect_feedback(page: Any, question: Question, *, right: bool) -> None:
    assert verdict(page) == ("Right" if right else "Not quite")
    assert page.locator("#live").inner_text() == ("Right." if right else "Not quite.")
    assert focused(page, ".feedback")
    said = page.locator(".feedback").inner_text()
    assert (WHY_RIGHT if right else WHY_WRONG).get(question.kind, "") in said
    assert question.explanation in said
    assert ("Source: A book, section 1" in said) is (question.kind == "one")
    assert ("The right answer" in said) is not right
    assert ("(overflow)" in said) is (not right and question.kind != "order")


@in_browser
def test_the_right_answer_is_shown_after_a_wrong_one(open_quiz: Open) -> None:
    """After a wrong answer the right one stands below, in the form in which it is asked for."""
    page = open_quiz(*SMALL.values())
    for kind, expected in {"shape": "(3, 5)", "one": "The first x\nIt is the first."}.items():
        ask(page, kind)
        answer_by_keys(page, SMALL[kind], answer_of(page, SMALL[kind], right=False))
        assert f"The right answer\n{expected}" in re.sub(r"\n+", "\n", page.locator(".feedback").inner_text())
    ask(page, "number")
    answer_by_keys(page, SMALL["number"], "-1")
    assert float(page.locator(".answer").inner_text()) == posed(page, SMALL["number"]).answer
    ask(page, "mask")
    answer_by_keys(page, SMALL["mask"], ["1", "1", "1"])
    assert page.locator(".feedback tbody td").all_inner_texts() == list("100110")
    assert page.locator(".cell.wrong").count() == 4
    assert "4 cells with a dashed border are wrong" in page.locator("fieldset").inner_text()


@in_browser
def test_several_says_what_is_wrong_and_what_is_missing(open_quiz: Open) -> None:
    """Where several apply, each choice wrongly taken and each one missed is named with its why."""
    page = open_quiz(SMALL["several"])
    start(page)
    answer_by_keys(page, SMALL["several"], ["The first x", "The third"])
    said = page.locator(".feedback").inner_text()
    assert "Does not belong there: The third" in said
    assert "It is the third." in said
    assert "Is missing: The fourth" in said
    assert "The second" not in said


# ── judging as the command does ────────────────────────────────────────────────────────────────────


@in_browser
def test_the_page_judges_as_the_command_does(open_quiz: Open, bank: tuple[Question, ...]) -> None:
    """In the whole bank, right answers and the wrong ones known get the same verdict, why and mistake on both sides."""
    page, free = open_quiz(*bank), [each for each in bank if each.kind in ("number", "shape", "mask")]
    for question in free:
        put = pose(question, 3)
        for answer in (put.answer, *(wrong.answer for wrong in put.wrong)):
            expected = judge(put, _as_typed(answer))
            got = page.evaluate(
                """([id, place, answer]) => {
                    const question = bank.questions.find((each) => each.id === id);
                    return judgeFree({ question, ...question.instances[place] }, answer);
                }""",
                [question.id, 3 if question.draw else 0, answer],
            )
            notes = [(note["why"], note["mistake"] or "") for note in got["notes"]]
            assert got["right"] is expected.right
            assert notes == ([(expected.why, expected.mistake)] if expected.why else []), question.id


def _as_typed(answer: Any) -> str:
    return " ".join(answer) if isinstance(answer, tuple) and isinstance(answer[0], str) else repr(answer)


TYPED = {
    "number": [
        "0.25",
        "1/4",
        "2e3",
        " 1 / 8 ",
        "0,5",
        "−3",
        "+1",
        "5.",
        ".5",
        "1e999",
        "1/0",
        "",
        "?",
        "1.2.3",
        "x",
        "3 4",
    ],
    "shape": ["(3, 5)", "3,5", "3 5", "[3,5]", "3x5", "3×5", "()", "( )", "5,", "", "x", "(a, b)", "-3, 5", "3.5"],
}


@in_browser
def test_what_is_typed_is_read_as_the_command_reads_it(open_quiz: Open) -> None:
    """What the command takes for a number or a shape the page takes for the same one, and nothing else."""
    page = open_quiz()
    for kind, text in [(kind, text) for kind, texts in TYPED.items() for text in texts]:
        put, reader = pose(SMALL[kind], 0), {"number": "readNumber", "shape": "readShape"}[kind]
        got = page.evaluate(f"text => {reader}(text)", text)
        if got is None:
            with pytest.raises(Malformed):
                judge(put, text)
        else:
            answer = tuple(got) if kind == "shape" else float(got)
            assert judge(replace(put, answer=answer), text).right, text


MALFORMED = [
    ("number", "about three", "type a number, such as 0.25"),
    ("number", "", "type a number, such as 0.25"),
    ("shape", "three by five", "type a shape, such as (3, 5)"),
    ("one", "", "choose one of the answers"),
    ("spot", "", "choose one of the answers"),
    ("several", "", "choose at least one answer"),
]


@in_browser
def test_a_malformed_answer_is_told_what_one_looks_like(open_quiz: Open) -> None:
    """What is no answer counts for nothing; the page says what an answer looks like and asks on."""
    page = open_quiz(*SMALL.values())
    for kind, typed, expected in MALFORMED:
        ask(page, kind)
        if typed:
            page.get_by_label("Your answer").fill(typed)
        page.keyboard.press("Enter")
        assert expected in page.get_by_role("alert").inner_text()
        assert page.locator(".feedback").count() == 0
        assert stored(page) is None
        assert kind not in TYPED or focused(page, "input[aria-invalid=true][aria-describedby~=problem]")
    answer_by_keys(page, SMALL["several"], answer_of(page, SMALL["several"], right=True))
    assert verdict(page) == "Right"
    assert stored(page)["cards"]["several"]["tries"] == 1


# ── which question is next ─────────────────────────────────────────────────────────────────────────


@in_browser
def test_a_skipped_question_counts_for_nothing_and_comes_last(open_quiz: Open) -> None:
    """Skipping stores nothing; the question returns once, after all others, and again at the next start."""
    questions = {each.id: each for each in MORE}
    page = open_quiz(*MORE)
    start(page)
    page.get_by_role("button", name="Skip").click()
    assert stored(page) is None
    assert focused(page, "article")
    others = [each.id for each in MORE[1:]]
    assert [go(page, questions, right=True) for _ in others] == others
    assert asked(page) == "one-1"
    page.get_by_role("button", name="Skip").click()
    assert "only what you skipped is left (1 question)" in page.locator(".overview").inner_text()
    assert list(stored(page)["cards"]) == others
    page.get_by_role("button", name="Practise ahead").click()
    assert asked(page) == "one-1"


@in_browser
def test_a_missed_question_returns_after_three_others(open_quiz: Open) -> None:
    """A question answered wrong comes back in the same visit, before the new ones, but not at once."""
    questions = {each.id: each for each in MORE}
    page = open_quiz(*MORE)
    start(page)
    first = go(page, questions, right=False)
    assert [go(page, questions, right=True) for _ in range(4)] == ["one-2", "one-3", "one-4", first]
    assert asked(page) == "one-5"


@in_browser
def test_days_between_reviews_grow_and_a_miss_brings_a_question_back(open_quiz: Open) -> None:
    """Right answers lead through five boxes, each with a longer rest; a wrong one leads back to the first."""
    questions = {"one-1": MORE[0]}
    page = open_quiz(MORE[0])
    due = "2030-01-01"
    expected = ["2030-01-02", "2030-01-05", "2030-01-12", "2030-02-02", "2030-02-23"]
    for right, after in [*((True, day) for day in expected), (False, expected[-1])]:
        page.clock.set_fixed_time(f"{due}T09:00:00")
        page.reload()
        start(page)
        go(page, questions, right=right)
        due = stored(page)["cards"]["one-1"]["due"]
        assert due == after
    assert stored(page)["cards"]["one-1"]["box"] == 1
    assert asked(page) == "one-1"


@in_browser
def test_practising_ahead_moves_no_card_on(open_quiz: Open) -> None:
    """Before it is due a question may be asked all the same: right changes nothing, wrong brings it back today."""
    questions = {each.id: each for each in MORE[:2]}
    page = open_quiz(*MORE[:2])
    page.clock.set_fixed_time("2030-01-01T09:00:00")
    start(page)
    for _ in range(2):
        go(page, questions, right=True)
    said = page.locator(".overview").inner_text()
    assert "That is all for now" in said
    assert "2 of 2 right" in said
    assert "due tomorrow" in said
    page.get_by_role("button", name="Practise ahead").click()
    go(page, questions, right=True)
    go(page, questions, right=False)
    cards = stored(page)["cards"]
    assert [(cards[name]["box"], cards[name]["due"]) for name in sorted(cards)] == [
        (2, "2030-01-02"),
        (1, "2030-01-01"),
    ]
    later = page.evaluate("card => moved(card, true, '2030-01-01', 0)", {**CARD, "box": 4, "due": "2030-01-05"})
    assert (later["box"], later["due"]) == (4, "2030-01-05")


@in_browser
def test_only_the_topics_chosen_are_asked(open_quiz: Open) -> None:
    """A topic left out is not asked, the choice is remembered, and without any topic the page says what to do."""
    page = open_quiz(*SMALL.values())
    page.get_by_role("button", name="No topics").click()
    start(page)
    assert page.get_by_role("alert").inner_text() == "Choose at least one topic."
    page.get_by_role("checkbox", name="about-shape").check()
    page.reload()
    assert page.get_by_role("checkbox", name="about-shape").is_checked()
    assert not page.get_by_role("checkbox", name="about-one").is_checked()
    start(page)
    assert asked(page) == "shape"


@in_browser
def test_numbers_differ_from_visit_to_visit(open_quiz: Open) -> None:
    """A question that draws numbers never shows the same instance twice running; choices are shuffled anew."""
    page = open_quiz(SMALL["number"], SMALL["one"])
    start(page)
    shown = page.locator("#text").inner_text()
    for _ in range(5):
        answer_by_keys(page, SMALL["number"], "-1")
        page.evaluate("put(bank.questions[0], read().cards.get('number'))")
        assert page.locator("#text").inner_text() != shown
        shown = page.locator("#text").inner_text()
    places = page.evaluate("Array.from({length: 400}, () => pose(bank.questions[0], {instance: 7}).place)")
    assert {*places} == {*range(INSTANCES)} - {7}
    orders = page.evaluate("Array.from({length: 600}, () => shuffled(['a', 'b', 'c']).join(''))")
    assert {orders.count(each) > 50 for each in orders} == {True}
    assert len({*orders}) == 6
    steps = page.evaluate("Array.from({length: 200}, () => disordered([{right: 0}, {right: 1}]).map((s) => s.right))")
    assert steps == [[1, 0]] * 200


# ── what is remembered ─────────────────────────────────────────────────────────────────────────────


@in_browser
def test_a_reload_keeps_the_progress(open_quiz: Open) -> None:
    """What was answered is stored at once: after a reload the summary counts it and the next question is asked."""
    questions = {each.id: each for each in (SMALL["shape"], *MORE)}
    page = open_quiz(SMALL["shape"], *MORE)
    start(page)
    answer_by_keys(page, SMALL["shape"], "(3, 5)")
    page.reload()
    start(page)
    assert go(page, questions, right=False) == "one-1"
    page.reload()
    summary = page.locator(".topics").inner_text()
    assert "about-shape\n1 of 1 tried, 1 right last time, 0 due" in summary
    assert "about-one\n1 of 6 tried, 0 right last time, 1 due" in summary


GOOD = {"version": 1, "cards": {}, "off": []}
CARD = {"box": 2, "due": "2030-01-01", "tries": 1, "right": True}
DAMAGED = {
    "cut short": json.dumps(GOOD)[:-5],
    "empty": "",
    "null": "null",
    "a list": "[]",
    "another version": json.dumps({**GOOD, "version": 2}),
    "no such box": json.dumps({**GOOD, "cards": {"one": {**CARD, "box": 6}}}),
    "no such day": json.dumps({**GOOD, "cards": {"one": {**CARD, "due": "2030-13-01"}}}),
    "no number": json.dumps({**GOOD, "cards": {"one": {**CARD, "tries": "1"}}}),
    "topics": json.dumps({**GOOD, "off": "all"}),
}


@in_browser
def test_damaged_content_is_set_aside(open_quiz: Open) -> None:
    """Content that cannot be read is moved to a key of its own, never over another, and the page says so."""
    page = open_quiz(SMALL["shape"])
    for number, text in enumerate(DAMAGED.values(), start=1):
        page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, text])
        page.reload()
        place = f"{KEY}:damaged" + (f"-{number}" if number > 1 else "")
        assert f"set aside under the name {place}," in page.locator(".notice").inner_text()
        assert page.evaluate("key => localStorage.getItem(key)", place) == text
        assert stored(page) is None
    start(page)
    answer_by_keys(page, SMALL["shape"], "(3, 5)")
    assert stored(page)["cards"]["shape"]["box"] == 2
    page.reload()
    assert page.locator(".notice").count() == 0


NO_STORAGE = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError') }})"
FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }"


@in_browser
@pytest.mark.parametrize("fault", [NO_STORAGE, FULL], ids=["forbidden", "full"])
def test_it_works_where_storage_is_blocked(open_quiz: Open, fault: str) -> None:
    """Without storage the quiz goes on, says that nothing is kept, and remembers for as long as it is open."""
    questions = {each.id: each for each in MORE}
    page = open_quiz(*MORE, before=fault)
    start(page)
    go(page, questions, right=True)
    go(page, questions, right=False)
    assert page.locator(".notice p").all_inner_texts() == [
        "This browser keeps nothing for this page: your progress lasts until you close it."
    ]
    page.get_by_role("button", name="Close").click()
    assert page.locator(".notice").count() == 0
    assert focused(page, "article")
    page.get_by_role("button", name="Overview").click()
    assert "2 of 6 tried, 1 right last time, 1 due" in page.locator(".topics").inner_text()


@in_browser
def test_damaged_content_that_cannot_be_moved_stays(open_quiz: Open) -> None:
    """Where storage is full, damaged content is left where it is, and nothing is written over it."""
    script = f"if (!localStorage.getItem({KEY!r})) localStorage.setItem({KEY!r}, 'damaged'); {FULL}"
    page = open_quiz(SMALL["shape"], before=script)
    start(page)
    answer_by_keys(page, SMALL["shape"], "(3, 5)")
    assert page.evaluate("key => localStorage.getItem(key)", KEY) == "damaged"
    assert "keeps nothing" in page.locator(".notice").inner_text()


@in_browser
def test_two_open_pages_lose_nothing(open_quiz: Open) -> None:
    """The same quiz open twice: each answer is added to what the other has stored."""
    page = open_quiz(SMALL["shape"], SMALL["mask"])
    other = page.context.new_page()
    other.goto(page.url)
    start(page)
    start(other)
    other.get_by_role("button", name="Skip").click()
    answer_by_keys(page, SMALL["shape"], "(3, 5)")
    until(other, lambda: stored(other) is not None)  # pages of two processes hear of each other a moment later
    answer_by_keys(other, SMALL["mask"], ["100", "110"])
    until(page, lambda: len(stored(page)["cards"]) > 1)
    assert sorted(stored(page)["cards"]) == ["mask", "shape"]


@in_browser
def test_start_over_asks_first(open_quiz: Open) -> None:
    """Progress is forgotten only after a confirmation; Escape and the other button keep it."""
    page = open_quiz(SMALL["shape"])
    start(page)
    answer_by_keys(page, SMALL["shape"], "(3, 5)")
    page.get_by_role("button", name="Overview").click()
    again = page.get_by_role("button", name="Start over", exact=True)
    again.click()
    page.keyboard.press("Enter")
    assert page.get_by_role("dialog").count() == 0
    again.click()
    page.keyboard.press("Escape")
    assert stored(page)["cards"]
    again.click()
    page.get_by_role("dialog").get_by_role("button", name="Start over").click()
    page.get_by_text("Your progress is forgotten.").wait_for(state="attached")
    assert stored(page) == GOOD
    assert "1 question" in page.locator(".topics").inner_text()
    assert focused(page, ".overview h2")


# ── for every eye, hand and screen ─────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def axe() -> Any:
    """The accessibility checker axe-core: the faults it finds on a page, each with its elements."""
    checker = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is missing"
    ).Axe()

    def violations(page: Any) -> list[str]:
        found = checker.run(
            page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
        )
        return [f"{each['id']}: {[node['html'] for node in each['nodes']]}" for each in found.response["violations"]]

    return violations


@in_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_accessibility_checker_finds_nothing(open_quiz: Open, axe: Any, scheme: str) -> None:
    """axe-core has nothing against any question, feedback, summary, message or dialog, in light and dark."""
    page = open_quiz(*SMALL.values(), color_scheme=scheme)
    assert axe(page) == []
    for question in SMALL.values():
        if scheme == "dark" and question.kind in ("several", "spot", "shape"):
            continue  # these have no colours of their own
        ask(page, question.id)
        if question.kind in ("one", "shape"):
            page.keyboard.press("Enter")
        assert axe(page) == [], question.kind
        right = question.kind in ("several", "order")
        answer_by_keys(page, question, answer_of(page, question, right=right))
        assert axe(page) == [], f"feedback on {question.kind}"
    page.get_by_role("button", name="Overview").click()
    page.evaluate("block()")
    assert axe(page) == []
    page.get_by_role("button", name="Start over", exact=True).click()
    assert axe(page) == []


@in_browser
def test_dark_and_light_follow_the_system(open_quiz: Open) -> None:
    """The page is dark on a dark system and light on a light one, and paper is light."""
    page = open_quiz(SMALL["one"])
    lightness = {}
    for name, media in {
        "light": {"color_scheme": "light"},
        "dark": {"color_scheme": "dark"},
        "print": {"color_scheme": "dark", "media": "print"},
    }.items():
        page.emulate_media(**media)
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        lightness[name] = sum(map(int, re.findall(r"\d+", colour)[:3]))
    assert lightness["dark"] < 120
    assert lightness["light"] > 700
    assert lightness["print"] == 765
    assert not page.get_by_role("button").first.is_visible()


WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
SMALL_TARGETS = """[...document.querySelectorAll("button, label.choice, .cell, input[type=text]")].filter((each) => {
    const box = each.getBoundingClientRect();
    return box.width > 0 && (box.width < 44 || box.height < 44);
}).map((each) => each.outerHTML)"""

FILL = """(text) => {
    for (const input of document.querySelectorAll("article input")) {
        if (input.type === "text") input.value = text;
        else input.click();
    }
    submit();
}"""


@in_browser
def test_nothing_overflows_a_narrow_screen(open_quiz: Open, bank: tuple[Question, ...]) -> None:
    """At 320 px every question of the bank and its feedback fit, code scrolls in its box, and targets have 44 px."""
    page = open_quiz(*bank, viewport={"width": 320, "height": 640}, has_touch=True)
    assert not page.evaluate(WIDE)
    assert page.evaluate(SMALL_TARGETS) == []
    found = page.evaluate(f"""bank.questions.flatMap((question) => {{
        put(question);
        const before = {WIDE}, small = {SMALL_TARGETS};
        ({FILL})("9");
        return before || {WIDE} || small.length || !current.answered ? [question.id, small] : [];
    }})""")
    assert found == []
    code = page.evaluate("""put(bank.questions.find((each) => each.code && /.{60}/.test(each.code))),
        document.querySelector("pre").scrollWidth > document.querySelector("pre").clientWidth""")
    assert code


@in_browser
def test_headings_landmarks_and_groups_are_there(open_quiz: Open) -> None:
    """Headings go down one level at a time, the landmarks are there, and each group of controls has its legend."""
    page = open_quiz(*SMALL.values())
    start(page)
    for question in SMALL.values():
        ask(page, question.id)
        assert page.get_by_role("group", name=page.locator("legend").inner_text()).count() == 1
        answer_by_keys(page, question, answer_of(page, question, right=False))
        levels = page.evaluate(
            "[...document.querySelectorAll('body > :not(dialog) :is(h1,h2,h3,h4)')].map((h) => +h.tagName[1])"
        )
        assert levels[:3] == [1, 2, 3]
        assert all(after <= before + 1 for before, after in pairwise(levels))
    assert [page.get_by_role(name).count() for name in ("banner", "main", "contentinfo")] == [1, 1, 1]


@in_browser
def test_whatever_has_the_focus_shows_it(open_quiz: Open) -> None:
    """Going on by Tab, each stop is outlined, itself or the label around it."""
    ring = """() => {
        const here = document.activeElement;
        const drawn = [here, here.closest("label"), here.nextElementSibling].filter(Boolean);
        const drawnOn = (style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 3;
        const seen = (style) => style.opacity > 0 && drawnOn(style);
        return drawn.some((each) => seen(getComputedStyle(each)));
    }"""
    page = open_quiz(*SMALL.values())
    for question in SMALL.values():
        ask(page, question.id)
        stops = 0
        while not (stops and focused(page, "body, article")) and stops < 15:
            page.keyboard.press("Tab")
            stops += 1
            assert focused(page, "body") or page.evaluate(ring), page.evaluate("document.activeElement.outerHTML")
        assert stops > 3


@in_browser
def test_motion_is_spared_where_it_is_unwanted(open_quiz: Open) -> None:
    """Feedback appears gently, and at once where the system asks for less motion."""
    for wish, expected in {"no-preference": "appear", "reduce": "none"}.items():
        page = open_quiz(SMALL["shape"], reduced_motion=wish)
        start(page)
        answer_by_keys(page, SMALL["shape"], "(3, 5)")
        assert page.evaluate("getComputedStyle(document.querySelector('.feedback')).animationName") == expected


@in_browser
def test_moving_in_a_mask_and_a_list_keeps_to_the_edges(open_quiz: Open) -> None:
    """Arrow keys stop at the edges of a mask and a list; a step that moves takes the focus along and is announced."""
    page = open_quiz(SMALL["mask"], SMALL["order"])
    start(page)
    page.get_by_label("row 1, column 1").focus()
    for key, there in {
        "ArrowRight": "row 1, column 2",
        "ArrowDown": "row 2, column 2",
        "ArrowLeft": "row 2, column 1",
    }.items():
        page.keyboard.press(key)
        assert focused(page, f"[aria-label='{there}']")
    for key in ("ArrowLeft", "ArrowDown"):
        page.keyboard.press(key)
        assert focused(page, "[aria-label='row 2, column 1']")
    page.keyboard.press("Space")
    assert page.get_by_label("row 2, column 1").is_checked()
    page.get_by_role("button", name="Skip").click()
    steps = order_shown(page)
    page.keyboard.press("1")
    page.keyboard.press("ArrowUp")
    assert order_shown(page) == steps
    page.keyboard.press("ArrowDown")
    assert order_shown(page) == [steps[1], steps[0], *steps[2:]]
    assert page.evaluate("document.activeElement.querySelector('.step').innerText") == steps[0]
    assert page.locator("#live").inner_text() == "Now step 2 of 4."


# ── a bank that means harm ─────────────────────────────────────────────────────────────────────────

HOSTILE = (
    "</script><script>alert(1)</script><!--<script>",
    "<img src=x onerror=alert(1)>",
    "\"'>&lt;b&gt;&amp;]]>{{data}}{{title}}\u2028\\u003c",
    "`<b>x</b>` and *<i>y</i>* ${alert(1)}",
)


def _poisoned(value: Any, text: str) -> Any:
    """`value` with `text` after every text in it but for kinds and answers."""
    if isinstance(value, str):
        return value + text
    if isinstance(value, tuple):
        return tuple(_poisoned(each, text) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        names = [
            each.name for each in fields(value) if each.name not in ("kind", "answer", "draw", "tolerance", "right")
        ]
        return replace(value, **{name: _poisoned(getattr(value, name), text) for name in names})
    return value


@in_browser
@pytest.mark.parametrize("text", HOSTILE, ids=["script", "element", "quotes", "marks"])
def test_a_hostile_bank_is_only_text(open_quiz: Open, course: Course, text: str) -> None:
    """Whatever stands in a bank is shown as text: it runs nothing, loads nothing, and ends nothing."""
    harmless = [question for kind, question in SMALL.items() if kind != "number"]
    last = replace(SMALL["one"], id="__proto__", choices=(*CHOICES[:1], replace(CHOICES[1], mistake="constructor")))
    page = open_quiz(*(_poisoned(question, text) for question in harmless), last)
    assert page.locator("img, b, i, body script:not([type])").count() == 1  # the page's own script
    shown = re.sub("[`*]", "", text).split("\u2028")[0]
    for question in harmless:
        ask(page, question.id + text)
        assert shown in page.locator("#text").inner_text()
        if question.code:
            assert text.split("\u2028")[0] in page.locator("pre").inner_text()
        page.evaluate(FILL, "5, 3")
        assert shown in page.locator(".feedback").inner_text()
        assert page.locator("img, b, i").count() == 0
    ask(page, "__proto__")
    answer_by_keys(page, last, ["The second"])
    assert "Mistake: constructor\n" in page.locator(".feedback").inner_text()
    assert "__proto__" in page.evaluate("key => localStorage.getItem(key)", KEY)
    page.reload()
    assert page.locator(".notice").count() == 0
    assert text.split("\u2028")[0] in page.locator(".topics").inner_text()


@in_browser
def test_marks_in_a_text_become_code_and_emphasis(open_quiz: Open) -> None:
    """Backticks make code, asterisks emphasis; products, powers and open marks stay as they are."""
    text = "`a*b*c` and *that one*, (*this*), 2 * 3 * 4, Q*K*V, x**2 and y**2, z *u*v, an open ` mark * here"
    page = open_quiz(replace(SMALL["shape"], question=text))
    start(page)
    assert page.locator("#text code").all_inner_texts() == ["a*b*c"]
    assert page.locator("#text em").all_inner_texts() == ["that one", "this"]
    assert (
        page.locator("#text").inner_text()
        == "a*b*c and that one, (this), 2 * 3 * 4, Q*K*V, x**2 and y**2, z *u*v, an open ` mark * here"
    )


# ── the file itself ────────────────────────────────────────────────────────────────────────────────


def test_the_page_is_the_same_for_a_bank_and_a_seed(course: Course, bank: tuple[Question, ...]) -> None:
    """The same bank and seed give the same bytes; another seed draws other numbers."""
    assert export(bank, course) == export(bank, course, 0) == FORMATS["html"](bank, course)
    assert export(bank, course, 1) != export(bank, course)


def test_every_question_is_in_the_page(course: Course, bank: tuple[Question, ...]) -> None:
    """All questions stand in the page's data, with twenty instances where numbers are drawn and one where not."""
    page = export(bank, course, seed=5).decode()
    data = json.loads(re.search(r'<script type="application/json" id="bank">(.*?)</script>', page, re.DOTALL)[1])
    assert [each["id"] for each in data["questions"]] == [each.id for each in bank]
    for found, question in zip(data["questions"], bank, strict=True):
        instances = found["instances"]
        assert len(instances) == (20 if question.draw else 1)
        assert [each["text"] for each in instances] == [pose(question, 5 + n).text for n in range(len(instances))]
        assert [each["text"] for each in found.get("choices", [])] == [each.text for each in question.choices]
        assert {each.mistake for each in question.choices} - {""} <= set(data["mistakes"])


def test_the_page_asks_for_nothing_from_anywhere(course: Course, bank: tuple[Question, ...]) -> None:
    """The page's policy forbids all loading, nothing in it names a place to load from, and no placeholder is left."""
    page = export(bank, course).decode()
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in page
    assert not re.search(r"https?://|url\(|@import|\bsrc=|innerHTML|\beval\b|\bfetch\b|\{\{\w+\}\}", page)
    assert re.findall(r'href="([^"]*)"', page) == ["data:,"]


def test_nothing_in_the_data_can_end_it(course: Course) -> None:
    """No `<` stands in the embedded data, half a surrogate pair and a NUL do no harm, and a title is escaped."""
    bad = replace(_poisoned(SMALL["one"], HOSTILE[0]), question="\ud800\0")
    page = export([bad], replace(course, title="<b>&{{data}}")).decode("utf-8")
    data = re.search(r'id="bank">(.*?)</script>', page, re.DOTALL)[1]
    assert "<" not in data
    assert json.loads(data)["questions"][0]["instances"][0]["text"] == bad.question
    assert page.count("<title>&lt;b&gt;&amp;{{data}}: quiz</title>") == 1
