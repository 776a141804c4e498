"""Self-study practice: what is remembered, what comes next, what an answer or a report changes. `now` is a parameter.

The times at which a question comes back are FSRS's (Ye, Su and Cao 2022, https://doi.org/10.1145/3534678.3539081), as
the package `fsrs` computes them. Every `now` is a datetime in UTC, and a day is a day in UTC.
"""

from __future__ import annotations

import math
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from grader.deck import MOST_EVENTS, QUIZ, Card, Counted, Deck, Event, Rating
from grader.errors import UsageError
from grader.question import Posed, Question, Verdict, judge, pose
from grader.report import ExerciseReport, Report

OTHERS_FIRST = 3  # how many others come before a question that was answered wrong comes back
COUNT, NEW = 20, 10  # questions a session, new ones a day


# ── what reports say ───────────────────────────────────────────────────────────────────────────────


def note_report(deck: Deck, report: Report, now: datetime) -> bool:
    """Take down which mistakes a workspace's report names, and which are gone; whether there was anything new.

    Cheap: neither fsrs nor the bank is needed before `count_reports`. Of a day's reports the last one counts, so
    saving often spoils no schedule. A mistake is gone when it is no longer named and the exercise earns more, or
    everything: a syntax error only hides the others. A report that is not `graded` says nothing.
    """
    exercises = [each for each in report.exercises if report.graded and each.status != "not-graded"]
    before = {name: dict(codes) for name, codes in deck.noted.items()}
    noted = {each.name: _named(each, before.get(each.name, {})) for each in exercises}
    deck.noted = {name: codes for name, codes in {**before, **noted}.items() if codes}
    there = {mistake.code for exercise in exercises for mistake in exercise.mistakes}
    gone = {code for exercise in exercises for code in before.get(exercise.name, {})} - set(deck.mistakes)
    known = {(event.day, event.code): event for event in deck.events}
    for code, rating in {**dict.fromkeys(sorted(gone), "good"), **dict.fromkeys(sorted(there), "again")}.items():
        event = Event(code, "again" if rating == "again" else "good", now.isoformat())
        if (earlier := known.get((event.day, code))) is None or earlier.rating != rating:
            known[event.day, code] = event
    events = list(known.values())[-MOST_EVENTS:]
    changed = deck.noted != before or events != deck.events
    deck.events = events
    return changed


def remember_report(workspace: Path, report: Report, now: datetime) -> str:
    """Take a report down in the workspace's memory; what the learner has to be told, "" where all is well."""
    try:
        return QUIZ.update(workspace, lambda deck: note_report(deck, report, now))[1]
    except UsageError as error:  # the report itself is as good
        return f"the quiz will not know of this report: {error}"


def _named(exercise: ExerciseReport, before: Mapping[str, float]) -> dict[str, float]:
    """The mistakes the exercise has now, those included that are only hidden."""
    hidden = {} if exercise.status == "passed" else {c: score for c, score in before.items() if exercise.score <= score}
    return hidden | {mistake.code: exercise.score for mistake in exercise.mistakes}


def count_reports(deck: Deck, bank: Iterable[Question]) -> bool:
    """Review the cards of questions on the mistakes noted, each at most once a day; whether there was any to count.

    A question never seen has no card to review: it is put first in line instead.
    """
    questions = [question for question in bank if question.id in deck.cards]
    days: dict[str, dict[str, Event]] = defaultdict(dict)
    for event in deck.events:
        days[event.day][event.code] = event
    for _, events in sorted(days.items()):
        for question in questions:
            if said := [events[code] for code in question.mistakes if code in events]:
                deck.cards[question.id] = _reported(question.id, deck.cards[question.id], said)
    counted = bool(deck.events)
    deck.events = []
    return counted


def _reported(name: str, card: Card, said: Sequence[Event]) -> Card:
    """The card after a day's events: "again" where one of its mistakes is there, "good" where all of them are gone."""
    rating: Rating = "again" if any(event.rating == "again" for event in said) else "good"
    at = max(event.at for event in said)
    before = card.schedule
    if card.report is not None and card.report.at[:10] == at[:10]:
        if card.report.rating == rating or card.schedule["last_review"] != card.report.at:
            return card  # counted today, and the same; or answered since
        before = card.report.before
    at = max(at, before["last_review"] or at)
    schedule = _reviewed(name, before, rating, datetime.fromisoformat(at))
    return replace(card, schedule=schedule, report=Counted(rating, schedule["last_review"], before))


def _reviewed(name: str, schedule: Mapping[str, Any] | None, rating: Rating, now: datetime) -> dict[str, Any]:
    """What fsrs keeps of the card after a review; `schedule` is None for a card that is new."""
    import fsrs

    number = zlib.crc32(name.encode())
    card = fsrs.Card(card_id=number, due=now) if schedule is None else fsrs.Card.from_dict({**schedule})  # type: ignore[typeddict-item]
    grade = fsrs.Rating.Good if rating == "good" else fsrs.Rating.Again
    return dict(fsrs.Scheduler(enable_fuzzing=False).review_card(card, grade, now)[0].to_dict())


# ── what comes next ────────────────────────────────────────────────────────────────────────────────


def line_up(deck: Deck, bank: Sequence[Question], now: datetime, *, count: int = COUNT, new: int = NEW) -> list[str]:
    """The ids of a session's questions, at most `count`, in their order.

    Due ones, most overdue first; those on mistakes that reports named last; new ones, in the bank's order. At most
    `new` of all that were never seen are new on one day, whatever sessions it has.
    """
    due = [question.id for question in bank if question.id in deck.cards and deck.cards[question.id].due <= now]
    due.sort(key=lambda name: deck.cards[name].due)
    mistakes = set(deck.mistakes)
    named = [question.id for question in bank if mistakes & set(question.mistakes)]
    back = [name for name in named if name in deck.cards and name not in due and deck.cards[name].sent_back]
    unseen = [name for name in dict.fromkeys([*named, *(each.id for each in bank)]) if name not in deck.cards]
    return [*due, *back, *unseen[: max(0, new - new_today(deck, now))]][:count]


def new_today(deck: Deck, now: datetime) -> int:
    """How many questions were new today."""
    return sum(card.first == now.date().isoformat() for card in deck.cards.values())


# ── a session ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of an answer: when its card is `due`, and whether the question `returns` in this session.

    Then so many `others` come before it.
    """

    posed: Posed
    verdict: Verdict
    due: datetime
    returns: bool
    others: int = 0


@dataclass(frozen=True, slots=True)
class _Moment:
    """What undo goes back to: the queue before an answer, and the card of its first question."""

    queue: tuple[str, ...]
    skipped: frozenset[str]
    card: Card | None


class Session:
    """Questions put one at a time. `keep` is called once for each answer, with what to remember; None: forget it."""

    def __init__(
        self,
        bank: Iterable[Question],
        deck: Deck,
        names: Sequence[str],
        seed: int,
        keep: Callable[[str, Card | None], None],
    ) -> None:
        self.results: list[bool] = []
        self._questions = {question.id: question for question in bank}
        self._deck = deck
        self._queue = tuple(names)
        self._skipped: frozenset[str] = frozenset()
        self._seed = seed
        self._keep = keep
        self._past: list[_Moment] = []

    @property
    def posed(self) -> Posed | None:
        """The question to answer now; None at the end. After each answer it has new numbers and another order."""
        if not self._queue:
            return None
        card = self._deck.cards.get(self._queue[0])
        return pose(self._questions[self._queue[0]], self._seed + 1_000_000 * (len(card.answers) if card else 0))

    @property
    def place(self) -> tuple[int, int]:
        """Which question this is, of how many; one that comes back is none more, and keeps its number."""
        asked = dict.fromkeys(moment.queue[0] for moment in self._past)
        questions = [*dict.fromkeys([*asked, *self._queue])]
        return questions.index(self._queue[0]) + 1 if self._queue else len(questions), len(questions)

    @property
    def missed(self) -> list[str]:
        """The questions that are in line again, since they were answered wrong, in the order they come in."""
        asked = {moment.queue[0] for moment in self._past}
        return [name for name in self._queue if name in asked]

    def answer(self, typed: str, now: datetime) -> Answered:
        """Judge and remember. Raises Malformed, counting nothing, where `typed` is no answer; LookupError when over."""
        posed = self.posed
        if posed is None:
            raise LookupError("the session is over")
        verdict = judge(posed, typed)
        name, *others = self._queue
        before = self._deck.cards.get(name)
        card = _answered(name, before, now, right=verdict.right)
        self._keep(name, card)
        self._past.append(_Moment(self._queue, self._skipped, before))
        put(self._deck, name, card)
        self.results.append(verdict.right)
        if not verdict.right:
            others.insert(OTHERS_FIRST, name)
        self._queue = tuple(others)
        first = 0 if verdict.right else others.index(name)
        return Answered(posed, verdict, card.due, returns=not verdict.right, others=first)

    def skip(self) -> bool:
        """Put the question off to the end, once; whether it comes again. Nothing is counted."""
        if not self._queue:
            return False
        name, *others = self._queue
        again = name not in self._skipped
        self._queue = (*others, name) if again else tuple(others)
        self._skipped |= {name}
        return again

    def undo(self) -> bool:
        """Take the last answer back and ask again; whether there was one."""
        if not self._past:
            return False
        moment = self._past[-1]
        name = moment.queue[0]
        self._keep(name, moment.card)
        self._past.pop()
        self.results.pop()
        self._queue, self._skipped = moment.queue, moment.skipped
        put(self._deck, name, moment.card)
        return True

    def quit(self) -> None:
        """End here."""
        self._queue = ()


def put(deck: Deck, name: str, card: Card | None) -> bool:
    """Put a card into the deck in place of the one there, None: take it out. True, for the deck has changed."""
    if card is None:
        deck.cards.pop(name, None)
    else:
        deck.cards[name] = card
    return True


def _answered(name: str, card: Card | None, now: datetime, *, right: bool) -> Card:
    schedule = _reviewed(name, card.schedule if card else None, "good" if right else "again", now)
    card = card or Card(schedule, now.date().isoformat())
    return replace(card, schedule=schedule, answers=(*card.answers, (now.isoformat(), right)))


# ── standing ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Standing:
    """A topic: its questions, those seen, and of these the share right last time and the mean chance to be known now.

    Shares lie between 0 and 1; None where nothing has been seen.
    """

    topic: str
    questions: int
    seen: int
    right: float | None
    recall: float | None


def standings(deck: Deck, bank: Sequence[Question], now: datetime) -> list[Standing]:
    """How each topic stands, in the bank's order."""
    return [
        _standing(topic, [question.id for question in bank if question.topic == topic], deck, now)
        for topic in dict.fromkeys(question.topic for question in bank)
    ]


def _standing(topic: str, names: Sequence[str], deck: Deck, now: datetime) -> Standing:
    import fsrs

    scheduler = fsrs.Scheduler(enable_fuzzing=False)
    cards = [deck.cards[name] for name in names if name in deck.cards]
    right = [card.answers[-1][1] for card in cards if card.answers]
    recall = [_recall(card, scheduler, now) for card in cards]
    return Standing(topic, len(names), len(cards), _mean(right), _mean(recall))


def _recall(card: Card, scheduler: Any, now: datetime) -> float:
    """How likely the answer is known now; one that was wrong last is not, whatever a schedule of whole days says."""
    import fsrs

    if card.answers and not card.answers[-1][1]:
        return 0.0
    held: Any = {**card.schedule}
    return float(scheduler.get_card_retrievability(fsrs.Card.from_dict(held), now))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def due_times(deck: Deck, bank: Iterable[Question]) -> list[datetime]:
    """When the questions that were seen come back, soonest first."""
    return sorted(deck.cards[question.id].due for question in bank if question.id in deck.cards)


def in_words(due: datetime, now: datetime) -> str:
    """When that is, as one would say it: now, in 10 minutes, tomorrow, in 4 days."""
    left = due - now
    if left <= timedelta(0):
        return "now"
    if left < timedelta(minutes=59.5):
        return _in(max(1, math.ceil(left / timedelta(minutes=1) - 0.5)), "minute")
    if left < timedelta(hours=18):
        return _in(round(left / timedelta(hours=1)), "hour")
    days = round(left / timedelta(days=1))
    if days <= 1:
        return "tomorrow"
    if days < 60:
        return _in(days, "day")
    return _in(round(days / 30.44), "month") if days < 700 else _in(round(days / 365.25), "year")


def _in(count: int, unit: str) -> str:
    return f"in {count} {unit}{'' if count == 1 else 's'}"
