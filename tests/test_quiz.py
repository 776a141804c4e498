"""Practice: every answer is kept, what was missed returns sooner, and what the code got wrong is asked first."""

from __future__ import annotations

import copy
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from grader.bank import load_bank
from grader.cli.quiz_session import Talk, choose, hold, script
from grader.course import Course
from grader.deck import MOST_EVENTS, QUIZ, Card, Deck
from grader.errors import UsageError
from grader.question import Choice, Malformed, Posed, Question, pose
from grader.quiz import (
    Session,
    count_reports,
    due_times,
    in_words,
    line_up,
    note_report,
    put,
    remember_report,
    standings,
)
from grader.report import ExerciseReport, Mistake, Receipt, Report

GRADE = [sys.executable, "-W", "error", "-c", "from grader.cli import main; main(prog_name='grade')"]
START = datetime(2025, 3, 1, 9, 0, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
CHOICES = (Choice("right", "Yes.", right=True), Choice("wrong", "No."), Choice("worse", "Never."))


def question(name: str, *mistakes: str, topic: str = "numbers") -> Question:
    return Question(name, "one", topic, f"What is {name}?", "So it is.", mistakes, choices=CHOICES)


SMALL = [question("a"), question("b", "weak-mask"), question("c", "overflow"), question("d", "weak-mask", "overflow")]
SMALL += [question(name, topic="letters") for name in "efgh"]


def right(posed: Posed) -> str:
    """What a learner would type who knows."""
    answer = posed.answer
    return " ".join(map(str, answer)) if isinstance(answer, tuple) else f"{answer}"


def wrong(posed: Posed) -> str:
    """What a learner would type who does not."""
    kind, answer = posed.question.kind, posed.answer
    if kind == "number":
        return f"{answer + 100 * posed.question.tolerance + 1}"
    if kind == "shape":
        return " ".join(map(str, (*answer, 7)))
    if kind == "mask":
        return "".join(answer).translate(str.maketrans("01", "10"))
    if kind in ("several", "order"):
        return "abcdefgh"[: len(posed.choices)]
    return next(letter for letter in "abcdefgh" if letter != answer)


class Kept:
    """The file, in memory: a deck that gets what a session keeps."""

    def __init__(self) -> None:
        self.deck = Deck()
        self.writes = 0

    def keep(self, name: str, card: Card | None) -> None:
        """Write, and count it."""
        self.writes += 1
        put(self.deck, name, card)


def begin(bank: list[Question], deck: Deck | None = None, now: datetime = START, **limits: int) -> tuple[Session, Kept]:
    kept = Kept()
    kept.deck = Deck() if deck is None else deck
    own = copy.deepcopy(kept.deck)
    return Session(bank, own, line_up(own, bank, now, **limits), 5, kept.keep), kept


def current(session: Session) -> Posed:
    assert session.posed is not None
    return session.posed


def name(session: Session) -> str:
    return current(session).question.id


def answer_all(session: Session, now: datetime, knows: Callable[[str], bool] = lambda _: True) -> list[str]:
    """Answer until the session ends; the names in the order they were put."""
    put_names = []
    while session.posed is not None:
        put_names.append(name(session))
        posed = current(session)
        session.answer(right(posed) if knows(posed.question.id) else wrong(posed), now)
    return put_names


# ── a session ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ["one", "several", "number", "shape", "mask", "spot", "order"])
def test_every_kind_is_answered_right_wrong_malformed_and_skipped(course: Course, kind: str) -> None:
    """On the real bank: right is Good, wrong is Again and comes back; malformed and skipped count nothing."""
    bank = [each for each in load_bank(course) if each.kind == kind]
    session, kept = begin(bank)
    first = name(session)
    with pytest.raises(Malformed):
        session.answer("no answer!", START)
    assert (name(session), kept.writes, session.results) == (first, 0, [])
    assert session.skip()
    assert (name(session) != first, kept.writes, session.results) == (True, 0, [])
    known, missed = name(session), None
    done = session.answer(right(current(session)), START)
    assert (done.verdict.right, done.returns, done.due) == (True, False, START + 10 * MINUTE)
    missed = name(session)
    done = session.answer(wrong(current(session)), START)
    assert (done.verdict.right, done.returns, done.due) == (False, True, START + MINUTE)
    assert kept.deck.cards.keys() == {known, missed}
    later = answer_all(session, START + MINUTE)
    assert first in later
    assert missed in later


def test_a_wrong_question_comes_back_after_a_few_others() -> None:
    """Three others come first, or as many as there are."""
    session, _ = begin(SMALL)
    first = current(session)
    session.answer(wrong(first), START)
    assert [name(session), *answer_all(session, START)[1:]] == ["b", "c", "d", "a", "e", "f", "g", "h"]
    session, _ = begin(SMALL[:2])
    session.answer(wrong(current(session)), START)
    assert answer_all(session, START) == ["b", "a"]


def test_a_number_that_comes_back_has_new_numbers(course: Course) -> None:
    """Nobody learns a number by heart; after undo they are the ones of before."""
    (drawn,) = [each for each in load_bank(course) if each.id == "scaling-spread-of-a-dot-product"]
    session, _ = begin([drawn])
    texts = []
    for _ in range(4):
        texts.append(current(session).text)
        session.answer(wrong(current(session)), START)
    assert len(set(texts)) == 4
    session.undo()
    assert current(session).text == texts[3]
    again, _ = begin([drawn], session._deck, START + DAY)
    assert current(again).text == texts[3]
    again.answer(right(current(again)), START + DAY)
    later, _ = begin([drawn], again._deck, START + 40 * DAY)
    assert current(later).text not in texts


def test_right_at_the_second_try_goes_on_as_fsrs_has_it() -> None:
    """After a wrong answer a right one waits ten minutes, the second step of learning."""
    session, kept = begin(SMALL[:1])
    session.answer(wrong(current(session)), START)
    done = session.answer(right(current(session)), START + MINUTE)
    assert done.due == START + 11 * MINUTE
    assert [was_right for _, was_right in kept.deck.cards["a"].answers] == [False, True]
    assert session.posed is None
    with pytest.raises(LookupError):
        session.answer("a", START)


def test_a_skipped_question_comes_at_the_end_once() -> None:
    """The second time it is left out, and it was never counted."""
    session, kept = begin(SMALL[:3])
    assert session.skip()
    assert [name(session), session.place] == ["b", (1, 3)]
    answer_all_but_last = [session.answer(right(current(session)), START) for _ in range(2)]
    assert len(answer_all_but_last) == 2
    assert name(session) == "a"
    assert not session.skip()
    assert session.posed is None
    assert not session.skip()
    assert kept.deck.cards.keys() == {"b", "c"}


def test_undo_takes_the_last_answer_back() -> None:
    """Card, place and question are as before, the same numbers are asked again; then the one before; then none."""
    session, kept = begin(SMALL, now=START)
    assert not session.undo()
    posed = current(session)
    session.answer(right(posed), START)
    after_one, second = copy.deepcopy(kept.deck), current(session)
    session.answer(wrong(second), START)
    assert session.undo()
    assert (kept.deck, current(session), session.results, session.place) == (after_one, second, [True], (2, 8))
    assert session.undo()
    assert (kept.deck, current(session), session.results) == (Deck(), posed, [])
    assert session._deck == Deck()
    assert not session.undo()


def test_undo_gives_a_reviewed_card_its_schedule_back() -> None:
    """Not only new ones: a card that was there before is there again as it was, also after the last question."""
    session, kept = begin(SMALL[:1])
    session.answer(right(current(session)), START)
    before = copy.deepcopy(kept.deck)
    session, kept = begin(SMALL[:1], kept.deck, START + DAY)
    session.answer(right(current(session)), START + DAY)
    assert session.posed is None
    assert kept.deck != before
    session.undo()
    assert kept.deck == before
    assert name(session) == "a"


def test_each_answer_is_kept_at_once() -> None:
    """One write after each answer; none to quit."""
    session, kept = begin(SMALL)
    for number in range(1, 4):
        session.answer(right(current(session)), START)
        assert kept.writes == len(kept.deck.cards) == number
    session.quit()
    assert session.posed is None
    assert kept.writes == 3


def test_an_answer_that_cannot_be_kept_is_not_counted() -> None:
    """The disk is full: the question is still there, and so is all before."""
    session, _ = begin(SMALL)

    def full(*_: object) -> None:
        raise UsageError("cannot remember: no space left")

    session._keep = full
    with pytest.raises(UsageError):
        session.answer(right(current(session)), START)
    assert (name(session), session.results) == ("a", [])


# ── what comes next ────────────────────────────────────────────────────────────────────────────────


def practised(names: str, knows: Callable[[str], bool] = lambda _: True, now: datetime = START) -> Deck:
    session, kept = begin([each for each in SMALL if each.id in names], now=now)
    answer_all(session, now, knows)
    return kept.deck


def test_due_ones_come_first_then_mistakes_then_new_ones() -> None:
    """Most overdue first; then what the last report named, seen or not; then the bank's order."""
    deck = practised("e", now=START + MINUTE)
    deck.cards |= practised("g").cards
    note_report(deck, graded("weak-mask"), START)
    assert line_up(deck, SMALL, START + HOUR) == ["g", "e", "b", "d", "a", "c", "f", "h"]
    assert line_up(deck, SMALL, START) == ["b", "d", "a", "c", "f", "h"]
    assert line_up(deck, SMALL, START + HOUR, count=3) == ["g", "e", "b"]
    assert line_up(deck, SMALL, START + HOUR, new=3) == ["g", "e", "b"]


def test_new_ones_are_limited_a_day_not_a_session() -> None:
    """Two sessions on a day share the day's new ones, mistakes among them; the next day has its own."""
    deck = practised("ab")
    assert len(line_up(deck, SMALL, START, new=3)) == 1
    note_report(deck, graded("overflow"), START)
    assert line_up(deck, SMALL, START, new=3) == ["c"]
    assert [each for each in line_up(deck, SMALL, START + DAY, new=3) if each not in "ab"] == ["c", "d", "e"]


def test_a_question_that_left_the_bank_is_passed_over() -> None:
    """Its card stays, and nothing asks for it."""
    deck = practised("ab")
    assert line_up(deck, SMALL[1:], START + DAY, new=0) == ["b"]
    assert len(due_times(deck, SMALL[1:])) == 1


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (-DAY, "now"),
        (MINUTE / 3, "in 1 minute"),
        (10 * MINUTE, "in 10 minutes"),
        (60 * MINUTE, "in 1 hour"),
        (5 * HOUR, "in 5 hours"),
        (23 * HOUR, "tomorrow"),
        (DAY, "tomorrow"),
        (4 * DAY, "in 4 days"),
        (4 * DAY - MINUTE, "in 4 days"),
        (90 * DAY, "in 3 months"),
        (800 * DAY, "in 2 years"),
    ],
)
def test_times_are_said_in_words(left: timedelta, words: str) -> None:
    """As one would say it."""
    assert in_words(START + left, START) == words


# ── sixty days ─────────────────────────────────────────────────────────────────────────────────────


def test_sixty_days_of_a_learner(course: Course) -> None:
    """Missed cards return sooner than mastered ones, whose intervals grow; no day is over the limit."""
    bank = list(load_bank(course))
    hard = {each.id for number, each in enumerate(bank) if number % 8 == 0}
    deck, gaps, days = Deck(), defaultdict(list), defaultdict(set)
    for day in range(60):
        for hour in (0, 8):  # two sessions a day
            now = START + day * DAY + hour * HOUR
            session, kept = begin(bank, deck, now, count=20, new=10)
            fresh = [each for each in line_up(deck, bank, now, count=20, new=10) if each not in deck.cards]
            days[day].update(fresh)
            asked = answer_all(session, now, lambda each, tries=defaultdict(int): knows(each, tries, hard))
            assert len(set(asked)) <= 20
            deck = kept.deck
            for each in set(asked):
                gaps[each].append((deck.cards[each].due - now) / DAY)
    assert all(len(fresh) <= 10 for fresh in days.values())
    assert sum(len(fresh) for fresh in days.values()) == len(bank) == len(deck.cards)
    mastered = [gaps[each.id] for each in bank if each.id not in hard]
    assert all(series == sorted(series) for series in mastered)
    assert all(series[-1] >= 10 for series in mastered if len(series) > 4)
    last = {each.id: gaps[each.id][-1] for each in bank[:40]}
    assert max(last[each] for each in last if each in hard) < min(last[each] for each in last if each not in hard)


def knows(each: str, tries: dict[str, int], hard: set[str]) -> bool:
    """A hard question is wrong at the first try of every session."""
    tries[each] += 1
    return each not in hard or tries[each] > 1


# ── what reports say ───────────────────────────────────────────────────────────────────────────────

RECEIPT = Receipt("0", 0, "none", "0", "0", "3", "2")


def exercise(*codes: str, score: float = 0.0, name: str = "attention") -> ExerciseReport:
    mistakes = tuple(Mistake(code, "matched", code, code) for code in codes)
    status = "failed" if codes or score < 10 else "passed"
    return ExerciseReport(name, score, 10.0, status, mistakes=mistakes)


def graded(*codes: str, score: float = 0.0, others: tuple[ExerciseReport, ...] = ()) -> Report:
    exercises = (exercise(*codes, score=score), *others)
    return Report("course", "Course", "here", True, score, 10.0, RECEIPT, exercises)


def told(deck: Deck, report: Report, now: datetime) -> Deck:
    """The deck after a report, counted at once."""
    deck = copy.deepcopy(deck)
    note_report(deck, report, now)
    count_reports(deck, SMALL)
    return deck


def test_a_mistake_sends_its_cards_back_and_the_repair_sends_them_away() -> None:
    """Named: "again" for the cards of its questions and no other; gone the next day: "good", and they recede."""
    known = practised("abe", now=START - DAY)
    known = practised_again(known, START)
    named = told(known, graded("weak-mask"), START + DAY)
    assert {each for each in known.cards if named.cards[each].schedule != known.cards[each].schedule} == {"b"}
    assert named.cards["b"].due < known.cards["b"].due
    assert line_up(named, SMALL, START + DAY)[:2] == ["b", "d"]
    mended = told(named, graded(score=10.0), START + 2 * DAY)
    assert mended.cards["b"].due > START + 2 * DAY + HOUR
    assert line_up(mended, SMALL, START + 2 * DAY + MINUTE, new=0) == []
    assert mended.mistakes == []


def practised_again(deck: Deck, now: datetime) -> Deck:
    session, kept = begin(SMALL, deck, now, new=0)
    answer_all(session, now)
    return kept.deck


@pytest.mark.parametrize("counted_between", [True, False])
def test_a_day_of_saving_counts_once(counted_between: bool) -> None:
    """Graded fifty times on a day, a card has one review, whether practice came between or not; a day later another."""
    deck = known = practised_again(practised("b", now=START - DAY), START)
    reports = [graded("weak-mask"), graded(score=10.0)] * 25 + [graded("weak-mask")]
    for number, report in enumerate(reports):
        note_report(deck, report, START + DAY + number * MINUTE)
        if counted_between:
            count_reports(deck, SMALL)
    count_reports(deck, SMALL)
    once = told(practised_again(practised("b", now=START - DAY), START), reports[-1], START + DAY + 50 * MINUTE)
    assert deck.cards["b"].schedule == once.cards["b"].schedule
    assert told(deck, graded("weak-mask"), START + DAY + 2 * HOUR).cards == deck.cards
    assert told(deck, graded("weak-mask"), START + 2 * DAY).cards["b"].schedule != deck.cards["b"].schedule
    assert deck is known


def test_the_same_report_again_is_nothing_to_write() -> None:
    """Saving often does not even touch the file."""
    deck = Deck()
    assert note_report(deck, graded("weak-mask"), START)
    assert not note_report(deck, graded("weak-mask"), START + HOUR)
    assert note_report(deck, graded("weak-mask"), START + DAY)
    assert not note_report(Deck(), graded(score=10.0), START)


def test_an_answer_outlives_the_rest_of_the_day() -> None:
    """Once a card was sent back and then answered, no later report of that day reviews it."""
    deck = told(practised_again(practised("b", now=START - DAY), START), graded("weak-mask"), START + DAY)
    answered = practised_again(deck, START + DAY + HOUR)
    assert len(answered.cards["b"].answers) == 3
    assert told(answered, graded(score=10.0), START + DAY + 2 * HOUR).cards == answered.cards


def test_a_card_with_two_mistakes_is_sent_back_by_either() -> None:
    """One is gone, the other is there: "again"."""
    deck = practised_again(practised("d", now=START - DAY), START)
    deck = told(deck, graded("weak-mask", "overflow"), START + DAY)
    deck = told(deck, graded("overflow", score=5.0), START + 2 * DAY)
    report = deck.cards["d"].report
    assert report is not None
    assert report.rating == "again"
    assert deck.mistakes == ["overflow"]


def test_a_mistake_in_another_exercise_is_still_there() -> None:
    """Gone from one exercise and named in another, it is not gone; an exercise not graded now is as it was."""
    deck = Deck()
    note_report(deck, graded("overflow", others=(exercise("overflow", name="softmax"),)), START)
    note_report(deck, graded(score=10.0), START + DAY)
    assert deck.mistakes == ["overflow"]
    assert [event.rating for event in deck.events] == ["again"]


def test_what_a_syntax_error_hides_is_not_gone() -> None:
    """A mistake is gone where the exercise earns more without it, not where nothing can be seen."""
    deck = Deck()
    note_report(deck, graded("weak-mask", score=6.0), START)
    note_report(deck, graded("syntax-error", score=0.0), START + DAY)
    assert set(deck.mistakes) == {"weak-mask", "syntax-error"}
    note_report(deck, graded(score=10.0), START + 2 * DAY)
    assert deck.mistakes == []
    assert {event.code for event in deck.events if event.rating == "good"} == {"weak-mask", "syntax-error"}


def test_a_report_of_a_broken_grader_says_nothing() -> None:
    """graded=False and exercises that were not graded change nothing at all."""
    deck = told(practised_again(practised("b", now=START - DAY), START), graded("overflow"), START + DAY)
    before = copy.deepcopy(deck)
    broken = replace(graded("weak-mask"), graded=False)
    missing = replace(graded(), exercises=(replace(exercise(score=5.0), status="not-graded"),))
    for report in (broken, missing):
        assert not note_report(deck, report, START + 2 * DAY)
        assert deck == before


# ── the file ───────────────────────────────────────────────────────────────────────────────────────


def full_deck() -> Deck:
    deck = told(practised_again(practised("abe", now=START - DAY), START), graded("weak-mask"), START + DAY)
    note_report(deck, graded(score=10.0), START + 2 * DAY)
    return deck


def test_a_deck_is_written_and_read_back(tmp_path: Path) -> None:
    """Cards, answers, reports and what is not counted yet."""
    QUIZ.save(tmp_path, full_deck())
    assert QUIZ.load(tmp_path) == (full_deck(), "")
    assert sorted(path.name for path in (tmp_path / ".grade").iterdir()) == [".gitignore", "quiz.json"]


IMPOSSIBLE: list[tuple[str, Any]] = [
    ("due", "soon"),
    ("due", "0001-01-01T00:00:00+00:00"),
    ("due", "9999-12-31T23:59:59+00:00"),
    ("stability", "much"),
    ("stability", 0.0),
    ("stability", 1e308),
    ("difficulty", -3.0),
    ("state", 7),
    ("state", True),
    ("step", 3),
    ("last_review", None),
    ("card_id", -1),
]


def damaged() -> Iterator[tuple[str, str]]:
    sound = {"version": 1, **QUIZ.dump(full_deck())}
    yield from [
        ("empty", ""),
        ("half", json.dumps(sound)[:200]),
        ("a list", "[]"),
        ("infinite", '{"version": Infinity}'),
    ]
    for key, value in IMPOSSIBLE:
        broken = json.loads(json.dumps(sound))
        broken["cards"]["a"]["schedule"][key] = value
        yield f"{key} {value}", json.dumps(broken)
    for key, value in {"first": "someday", "answers": [[START.isoformat(), 1]], "report": 0}.items():
        broken = json.loads(json.dumps(sound))
        broken["cards"]["a"][key] = value
        yield key, json.dumps(broken)
    yield "no score", json.dumps(sound | {"noted": {"one": {"overflow": -1.0}}})
    yield (
        "no event",
        json.dumps(sound | {"events": [{"code": "a", "rating": "good", "at": "9999-01-01T00:00:00+00:00"}]}),
    )
    for key in ("cards", "noted", "events"):
        yield f"no {key}", json.dumps({name: part for name, part in sound.items() if name != key})
    yield "naive", json.dumps(sound).replace("+00:00", "")
    yield "nan", json.dumps(sound).replace('"difficulty": ', '"difficulty": NaN, "x": ')


@pytest.mark.parametrize("text", [text for _, text in damaged()], ids=[which for which, _ in damaged()])
def test_a_damaged_file_is_set_aside_never_overwritten(tmp_path: Path, text: str) -> None:
    """Its bytes stay under another name, twice if need be, and a message says so; practice starts afresh."""
    (tmp_path / ".grade").mkdir()
    for number in (1, 2):
        (tmp_path / ".grade" / "quiz.json").write_text(text)
        deck, note = QUIZ.load(tmp_path)
        assert deck == Deck()
        assert "could not be read" in note
        assert f"quiz.damaged-{number}.json" in note
        assert (tmp_path / ".grade" / f"quiz.damaged-{number}.json").read_text() == text


def test_what_waits_to_be_counted_is_bounded(tmp_path: Path) -> None:
    """The newest reports are kept, of a file and of what is told; a hundred thousand days cost no noticeable time."""
    days = [(START + number * timedelta(hours=25)).isoformat() for number in range(80_000)]
    events = [{"code": "overflow", "rating": "good", "at": day} for day in days]
    (tmp_path / ".grade").mkdir()
    (tmp_path / ".grade" / "quiz.json").write_text(
        json.dumps({"version": 1, "cards": {}, "noted": {}, "events": events}), encoding="utf-8"
    )
    deck, note = QUIZ.load(tmp_path)
    assert (note, len(deck.events), deck.events[-1].at) == ("", MOST_EVENTS, days[-1])
    note_report(deck, graded("weak-mask"), START)
    assert (len(deck.events), deck.events[-1].code) == (MOST_EVENTS, "weak-mask")


def test_a_newer_file_is_set_aside_and_said_to_be_newer(tmp_path: Path) -> None:
    """Not called damaged in what is said, for it is not; and it can be put back."""
    (tmp_path / ".grade").mkdir()
    (tmp_path / ".grade" / "quiz.json").write_text('{"version": 2, "decks": []}')
    assert "written by a newer version" in QUIZ.load(tmp_path)[1]
    assert not (tmp_path / ".grade" / "quiz.json").exists()


def test_a_write_that_was_cut_short_harms_nothing(tmp_path: Path) -> None:
    """A half-written file beside it is never read."""
    QUIZ.save(tmp_path, full_deck())
    (tmp_path / ".grade" / "quiz.json.part").write_text('{"version": 1, "ca')
    assert QUIZ.load(tmp_path) == (full_deck(), "")


def test_a_write_that_fails_halfway_leaves_the_old_file(tmp_path: Path) -> None:
    """There is no more room in the middle of it: an error, and what was there is there, and nothing beside it."""
    resource = pytest.importorskip("resource")
    QUIZ.save(tmp_path, full_deck())
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (700, before[1]))  # bytes
    try:
        with pytest.raises(UsageError, match="File too large"):
            QUIZ.update(tmp_path, lambda deck: put(deck, "a", None))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert QUIZ.load(tmp_path) == (full_deck(), "")
    assert sorted(path.name for path in (tmp_path / ".grade").iterdir()) == [".gitignore", "quiz.json"]


def test_two_commands_at_work_lose_nothing(tmp_path: Path, course: Course, bank: tuple[Question, ...]) -> None:
    """What `grade` and another session keep while a session is open is there when it has kept its next answer."""

    def ask() -> str | None:
        if given:
            remember_report(tmp_path, graded("weak-mask"), START)
            QUIZ.update(tmp_path, lambda deck: put(deck, "another", full_deck().cards["a"]))
        return given.pop() if given else None

    given = [right(pose(each, 3)) for each in (bank[1], bank[0])]
    said: list[str] = []
    hold(course, tmp_path, Talk(said.append, said.append, ask, lambda: START, lambda text, _: text), seed=3)
    deck, _ = QUIZ.load(tmp_path)
    assert set(deck.cards) == {bank[0].id, bank[1].id, "another"}
    assert deck.mistakes == ["weak-mask"]
    assert "2 of 2 answers right." in said


def test_those_who_write_at_once_wait_for_one_another(tmp_path: Path) -> None:
    """Four writers, a dozen cards each: all of them are there."""
    card = full_deck().cards["a"]

    def write(writer: int) -> None:
        for number in range(12):
            QUIZ.update(tmp_path, lambda deck: put(deck, f"{writer}-{number}", card))  # noqa: B023 - called at once

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert len(QUIZ.load(tmp_path)[0].cards) == 48


def test_a_folder_that_cannot_be_written_is_said_to_be(tmp_path: Path) -> None:
    """A report that cannot be noted is a note; an answer that cannot be kept is an error with its remedy."""
    (tmp_path / ".grade").write_text("a file in its place")
    assert "will not know" in remember_report(tmp_path, graded("weak-mask"), START)
    for attempt in (lambda: QUIZ.save(tmp_path, Deck()), lambda: QUIZ.load(tmp_path)):
        with pytest.raises(UsageError, match="cannot remember"):
            attempt()
    assert (tmp_path / ".grade").read_text() == "a file in its place"


# ── standing ───────────────────────────────────────────────────────────────────────────────────────


def test_each_topic_has_its_standing() -> None:
    """Questions, seen ones, the share right last time, and a chance to be known that falls as days go by."""
    session, kept = begin(SMALL, new=6)
    for number in range(6):
        session.answer(right(current(session)) if number else wrong(current(session)), START)
        if not number:
            session._queue = session._queue[:3] + session._queue[4:]  # not again today
    numbers, letters = standings(kept.deck, SMALL, START)
    assert (numbers.topic, numbers.questions, numbers.seen, numbers.right) == ("numbers", 4, 4, 0.75)
    assert (letters.questions, letters.seen, letters.right) == (4, 2, 1.0)
    later = standings(kept.deck, SMALL, START + 30 * DAY)
    assert later[1].recall is not None
    assert letters.recall is not None
    assert 0 < later[1].recall < letters.recall <= 1
    assert standings(Deck(), SMALL, START)[0].right is None


def test_an_unknown_topic_names_the_nearest() -> None:
    """And lists what there is."""
    assert [each.id for each in choose(SMALL, ["letters"])] == list("efgh")
    assert choose(SMALL, []) == SMALL
    with pytest.raises(UsageError, match="there is no topic 'leters'") as caught:
        choose(SMALL, ["leters"])
    assert "Did you mean 'letters'? The topics are: numbers, letters." in str(caught.value)


def test_a_script_has_an_answer_a_line(tmp_path: Path) -> None:
    """Comments and blank lines are none; a file that is no text is an error."""
    (tmp_path / "answers").write_text("# all of it\na\n\n 3.5  # a guess\n(3, 5)\n")
    assert list(script(tmp_path / "answers")) == ["a", "3.5", "(3, 5)"]
    (tmp_path / "answers").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "answers", tmp_path / "none", tmp_path):
        with pytest.raises(UsageError, match="cannot be read"):
            script(path)


# ── the command, over a pipe and from a script ─────────────────────────────────────────────────────

Run = Callable[..., subprocess.CompletedProcess[str]]


def environment(root: Path, home: Path, **more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "GRADE_COURSE")}
    return {**kept, "PYTHONPATH": str(root), "HOME": str(home), "COLUMNS": "80", **more}


@pytest.fixture
def run(root: Path, tmp_path: Path) -> Run:
    """Run `grade` in a workspace with what is typed."""
    (tmp_path / "home").mkdir()
    (tmp_path / "work" / "exercises").mkdir(parents=True)

    def started(*args: str | Path, typed: str = "", **more: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*GRADE, *map(str, args)],
            cwd=more.pop("cwd", tmp_path / "work"),
            env=environment(root, tmp_path / "home", **more),
            input=typed,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    return started


@pytest.fixture(scope="module")
def bank(course: Course) -> tuple[Question, ...]:
    return load_bank(course)


def asked(shown: str, bank: tuple[Question, ...]) -> list[str]:
    """Which questions were put, in their order."""
    starts = {" ".join(each.question.partition("{")[0].split()): each.id for each in bank}
    found = [
        " ".join(part.split())
        for part in re.split(r"^Question \d+ of \d+, (?:once more, )?[\w-]+$", shown, flags=re.MULTILINE)
    ]
    hits = [[(len(start), name) for start, name in starts.items() if part.startswith(start)] for part in found[1:]]
    return [max(each)[1] for each in hits]


def test_over_a_pipe_there_are_plain_words(run: Run, tmp_path: Path, bank: tuple[Question, ...]) -> None:
    """At most 80 columns, no escape; the why, the right answer, the explanation, the source, and when it returns."""
    first = pose(bank[0], 3)
    done = run("quiz", "--seed", "3", typed=f"{wrong(first)}\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    words = " ".join(done.stdout.split())
    taken = next(choice for choice, letter in zip(first.choices, "abcd", strict=False) if letter == wrong(first))
    solution = next(choice for choice in first.choices if choice.right)
    for text in ("Question 1 of 10, scaling", first.text, taken.why, f"The right answer is: {first.answer} "):
        assert " ".join(text.split()) in words
    for text in (solution.text, first.question.explanation, first.question.source, "Not quite.", "after 3 others"):
        assert " ".join(text.split()) in words
    assert done.stdout.splitlines()[-2:] == ["0 of 1 answers right.", "Coming back: 1 in 1 minute."]
    assert list(QUIZ.load(tmp_path / "work")[0].cards) == [bank[0].id]


def test_commands_stand_in_place_of_an_answer(run: Run, bank: tuple[Question, ...], tmp_path: Path) -> None:
    """Help, skip, undo, quit and the question again; a malformed answer says what one looks like."""
    answer = pose(bank[0], 3).answer
    done = run("quiz", "--seed", "3", typed=f"?\nwhat\n\n{answer}\nu\ns\nU\nq\n")
    assert done.returncode == 0
    assert "undo: take your last answer back" in done.stdout
    assert "type one letter, a to d. Nothing was" in done.stdout
    assert "Right." in done.stdout
    assert "Your last answer is taken back." in done.stdout
    assert "Skipped. It comes again at the end." in done.stdout
    assert "There is no answer to take back." in done.stdout
    assert asked(done.stdout, bank) == [bank[0].id] * 2 + [bank[1].id] + [bank[0].id] + [bank[1].id]
    assert "No answer was given, so nothing has changed." in done.stdout
    assert QUIZ.load(tmp_path / "work")[0].cards == {}


def test_outside_of_a_workspace_the_home_folder_remembers(run: Run, tmp_path: Path, bank: tuple[Question, ...]) -> None:
    """In ~/.grade, and --help says so."""
    run("quiz", "--seed", "3", typed=f"{pose(bank[0], 3).answer}\n", cwd=tmp_path)
    assert len(QUIZ.load(tmp_path / "home")[0].cards) == 1
    assert "home folder" in " ".join(run("quiz", "--help").stdout.split())


def test_a_session_runs_from_a_script(run: Run, tmp_path: Path, bank: tuple[Question, ...]) -> None:
    """--answers takes a line an answer; what --topic, --count and --new say is kept to."""
    masks = [each for each in bank if each.topic == "masks"][:2]
    lines = "\n".join(["# practice", *(right(pose(each, 4)) for each in masks)])
    (tmp_path / "answers.txt").write_text(lines, encoding="utf-8")
    done = run("quiz", "--topic", "masks", "--count", "2", "--seed", "4", "--answers", tmp_path / "answers.txt")
    assert asked(done.stdout, bank) == [each.id for each in masks]
    assert "2 of 2 answers right." in done.stdout
    again = run("quiz", "--new", "2")
    assert again.returncode == 0
    assert "Nothing to ask now." in again.stdout
    assert "2 new today, and the limit is 2" in " ".join(again.stdout.split())
    failed = run("quiz", "--topic", "mask")
    assert (failed.returncode, failed.stdout) == (2, "")
    assert "Did you mean 'masks'?" in failed.stderr


def test_a_damaged_file_is_named_on_stderr(run: Run, tmp_path: Path) -> None:
    """By the quiz, and by `grade` that wants to note its report; either goes on."""
    folder = tmp_path / "work" / ".grade"
    folder.mkdir()
    for command in (["quiz"], ["run"]):
        (folder / "quiz.json").write_text("{")
        done = run(*command, typed="q\n")
        assert "set aside as quiz.damaged-" in done.stderr
        assert "could not be read" in done.stderr
    assert [path.read_text() for path in sorted(folder.glob("quiz.damaged-*.json"))] == ["{", "{"]


def test_killed_after_any_answer_a_session_loses_nothing(
    root: Path, tmp_path: Path, bank: tuple[Question, ...]
) -> None:
    """Four times the process is killed outright, an answer half typed: all answers before are there, and it goes on."""
    work = tmp_path / "work"
    (work / "exercises").mkdir(parents=True)
    for number in range(4):
        with subprocess.Popen(
            [*GRADE, "quiz", "--seed", "3"],
            cwd=work,
            env=environment(root, tmp_path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{right(pose(bank[number], 3))}\n")
            process.stdin.flush()
            for line in process.stdout:
                if "It comes back" in line:
                    break
            process.stdin.write("a")
            process.stdin.flush()
            process.send_signal(signal.SIGKILL)
        deck, note = QUIZ.load(work)
        assert note == ""
        assert list(deck.cards) == [each.id for each in bank[: number + 1]]
        assert all(card.answers[0][1] for card in deck.cards.values())


def test_ctrl_c_ends_with_130_and_nothing_lost(root: Path, tmp_path: Path, bank: tuple[Question, ...]) -> None:
    """The two closing lines are said all the same."""
    (tmp_path / "exercises").mkdir()
    command = [*GRADE, "quiz", "--seed", "3"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(root, tmp_path), stdin=-1, stdout=-1, stderr=-1, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{right(pose(bank[0], 3))}\n")
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith("Question 2"):
                break
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, "1 of 1 answers right." in out, "stopped" in err) == (130, True, True)
    assert len(QUIZ.load(tmp_path)[0].cards) == 1


# ── what the code got wrong steers what is asked ───────────────────────────────────────────────────

UNSCALED = (
    "import numpy as np\n"
    "def attention(Q, K, V, mask=None):\n"
    "    s = Q.astype(float) @ K.T\n"
    "    s = s if mask is None else np.where(mask, s, -np.inf)\n"
    "    e = np.exp(s - s.max(1, keepdims=True))\n"
    "    return e / e.sum(1, keepdims=True) @ V\n"
)


def test_a_missing_scaling_steers_what_is_asked(
    run: Run, tmp_path: Path, root: Path, bank: tuple[Question, ...]
) -> None:
    """Its questions come first after `grade`; after the repair they recede: new ones in order, others by days."""
    work = tmp_path / "work"
    for name in ("softmax", "causal_mask"):
        (work / "exercises" / f"{name}.py").write_text((root / "solutions" / f"{name}.py").read_text())
    (work / "exercises" / "attention.py").write_text(UNSCALED)
    assert run("run").returncode == 1
    assert run("run", "--submission", root / "exercises").returncode == 1  # says nothing to this workspace
    on_scaling = [each for each in bank if "missing-scaling" in each.mistakes]
    (tmp_path / "answers.txt").write_text("\n".join([*(right(pose(each, 6)) for each in on_scaling[:2]), "s\ns\ns\nq"]))
    first = run("quiz", "--seed", "6", "--answers", tmp_path / "answers.txt")
    put_first = asked(first.stdout, bank)
    assert put_first[:5] == [each.id for each in on_scaling[:5]] != [each.id for each in bank[:5]]
    assert "2 of 2 answers right." in first.stdout
    before, _ = QUIZ.load(work)
    assert "Mistakes in your last report: missing-scaling." in run("quiz", "--stats").stdout

    (work / "exercises" / "attention.py").write_text(UNSCALED.replace("K.T", "K.T / np.sqrt(K.shape[1])"))
    assert run("run").returncode == 0
    second = run("quiz", "--seed", "6", typed="s\ns\ns\ns\nq\n")
    rest = [each.id for each in bank if each.id not in put_first[:2]]
    assert asked(second.stdout, bank)[:5] == rest[:5]
    after, _ = QUIZ.load(work)
    for each in put_first[:2]:
        assert after.cards[each].due > before.cards[each].due + timedelta(hours=20)
    assert "Your last report names no mistakes." in run("quiz", "--stats").stdout


def test_grade_notes_without_the_scheduler(run: Run, tmp_path: Path, root: Path) -> None:
    """`grade run` imports no fsrs, notes nothing where a course has no quiz, and the same report twice once."""
    noted = tmp_path / "work" / ".grade" / "quiz.json"
    run("run", "--course", root / "tests" / "courses" / "tiny")
    assert not noted.exists()
    script = "import sys, grader.cli\ntry: grader.cli.main(['run'])\nexcept SystemExit: print('fsrs' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path / "work",
        env=environment(root, tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "False"
    deck, _ = QUIZ.load(tmp_path / "work")
    assert deck.events
    stamp = noted.stat().st_mtime_ns
    run("run")
    assert noted.stat().st_mtime_ns == stamp


def test_stats_say_how_things_stand(run: Run, bank: tuple[Question, ...], tmp_path: Path) -> None:
    """Every topic with its counts, what is due when, the mistakes; nothing is asked and nothing changes."""
    run("quiz", "--seed", "3", typed=f"{right(pose(bank[0], 3))}\n{wrong(pose(bank[1], 3))}\n")
    before = (tmp_path / "work" / ".grade" / "quiz.json").read_bytes()
    done = run("quiz", "--stats")
    assert done.returncode == 0
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line}
    for topic in {each.topic for each in bank}:
        assert rows[topic][1] == str(sum(each.topic == topic for each in bank))
    assert rows[bank[0].topic][2:5] == ["2", "50", "%"]
    assert rows["masks"][2:] == ["0", "-", "-"]
    assert "Due: 0 now, 2 more within a day, 0 more within a week." in done.stdout
    assert (tmp_path / "work" / ".grade" / "quiz.json").read_bytes() == before
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


@pytest.mark.parametrize("columns", [40, 50, 66, 80])
def test_stats_keep_a_topic_on_its_line(run: Run, bank: tuple[Question, ...], columns: int) -> None:
    """However narrow: a line a topic, all of its figures in it, below their heads."""
    run("quiz", "--seed", "3", typed=f"{right(pose(bank[0], 3))}\n{wrong(pose(bank[1], 3))}\n")
    lines = run("quiz", "--stats", COLUMNS=str(columns)).stdout.splitlines()
    topics = list(dict.fromkeys(each.topic for each in bank))
    head, *rows = lines[: len(topics) + 1]
    assert [row.split()[0] for row in rows] == topics
    assert {len(row) for row in rows} == {len(head)}
    assert len(head) <= columns


def test_what_was_missed_is_no_question_more(run: Run) -> None:
    """With steady wrong answers, two questions are two: what comes back says so, and after how many others."""
    shown = run("quiz", "--count", "2", "--seed", "3", typed="c\n" * 2 + "q\n").stdout
    heads = re.findall(r"^Question .*$", shown, re.MULTILINE)
    assert heads[0].startswith("Question 1 of 2, ")
    assert len(heads) > 1
    assert all(" of 2, " in head for head in heads)


def test_what_returns_says_after_how_many_others() -> None:
    """Three, two, one or none: as many as there are."""
    session, _ = begin(SMALL, count=4)
    said = [session.answer(wrong(current(session)), START) for _ in range(4)]
    assert [each.others for each in said] == [3, 3, 3, 3]
    session, _ = begin(SMALL, count=2)
    places = []
    for _ in range(4):
        places.append((session.place, len(session.missed)))
        assert session.answer(wrong(current(session)), START).others == 1
    assert places == [((1, 2), 0), ((2, 2), 1), ((1, 2), 2), ((2, 2), 2)]
    session.answer(right(current(session)), START)
    assert session.answer(wrong(current(session)), START).others == 0


# ── in a terminal ──────────────────────────────────────────────────────────────────────────────────

Type = Callable[..., str]


@pytest.fixture
def terminal(root: Path, tmp_path: Path) -> Iterator[Type]:
    """A real terminal, 80 columns by 24 lines, in which `grade quiz` runs; type keys, and read the screen."""
    server = str(tmp_path / "tmux")
    (tmp_path / "exercises").mkdir()

    def tmux(*args: str) -> str:
        return subprocess.run(["tmux", "-S", server, *args], check=True, capture_output=True, text=True).stdout

    def typed(*keys: str, until: str, env: str = "", colour: bool = False) -> str:
        if not keys:
            command = shlex.join([*GRADE, "quiz", "--seed", "3"])
            setting = f"unset NO_COLOR COLUMNS; export HOME={tmp_path} PYTHONPATH={root}; {env}"
            tmux(
                "new-session",
                "-d",
                "-x",
                "80",
                "-y",
                "24",
                "sh",
                "-c",
                f"trap : INT; {setting} cd {tmp_path}; {command}; echo done-$?; sleep 60",
            )
        else:
            tmux("send-keys", *keys)
        for _ in range(200):
            text = tmux("capture-pane", "-p", *(["-e"] if colour else []))
            if until in text:
                return text
            time.sleep(0.05)
        raise AssertionError(f"no {until!r}: {text}")

    yield typed
    subprocess.run(["tmux", "-S", server, "kill-server"], check=False, capture_output=True)


@pytest.mark.tool("tmux")
def test_a_terminal_waits_for_the_reader(terminal: Type, bank: tuple[Question, ...], tmp_path: Path) -> None:
    """After an answer it waits; undo, the question again, quit; the next question only when asked for."""
    screen = terminal(until="\n>")
    assert "Question 1 of 10, scaling" in screen
    assert all(len(line) <= 80 for line in screen.splitlines())
    screen = terminal(right(pose(bank[0], 3)), "Enter", until="Enter: go on.")
    assert "Right." in screen
    assert "It comes back in 10 minutes." in screen
    assert "Question 2" not in screen
    terminal("u", "Enter", until="taken back.")
    assert "Question 1" in terminal("", until="one letter, a to d; or ? for help.\n>\n")
    assert QUIZ.load(tmp_path)[0].cards == {}
    terminal(wrong(pose(bank[0], 3)), "Enter", until="Enter: go on.")
    terminal("Enter", until="Question 2 of 10")
    assert "0 of 1 answers right." in terminal("q", "Enter", until="done-0")
    assert len(QUIZ.load(tmp_path)[0].cards) == 1


@pytest.mark.tool("tmux")
@pytest.mark.parametrize(("key", "status"), [("C-c", "done-130"), ("C-d", "done-0")])
def test_a_terminal_is_left_by_ctrl_c_and_ctrl_d(terminal: Type, key: str, status: str) -> None:
    """130 and 0, in peace."""
    terminal(until="\n>")
    screen = terminal(key, until=status)
    assert "Traceback" not in screen
    assert "No answer was given" in screen


@pytest.mark.tool("tmux")
@pytest.mark.parametrize(("env", "coloured"), [("", True), ("export NO_COLOR=1;", False), ("export TERM=dumb;", False)])
def test_a_terminal_has_colour_unless_told_otherwise(terminal: Type, env: str, coloured: bool) -> None:
    """NO_COLOR and a dumb terminal get plain words."""
    assert ("\x1b[" in terminal(until="? for help.", env=env, colour=True)) is coloured
    terminal("q", "Enter", until="done-0")
