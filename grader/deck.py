"""What is remembered of practice, and how it is written down: cards, answers, and what reports said of mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from typing import Any, Literal

from grader.state import MOST_POINTS, Memory, amount, moment, whole, word

Rating = Literal["again", "good"]
LEAST_STABILITY, MOST_STABILITY = 1e-6, 1e9  # days; fsrs' own are well within
MOST_EVENTS = 1_000  # kept until they are counted, the newest; a learner makes a few a day


@dataclass(frozen=True, slots=True)
class Event:
    """What a graded report said of a mistake: it is there ("again"), or it is gone ("good"). `at` is ISO 8601."""

    code: str
    rating: Rating
    at: str

    @property
    def day(self) -> str:
        """The day in UTC, as 2025-12-31."""
        return self.at[:10]


@dataclass(frozen=True, slots=True)
class Counted:
    """The report that was last counted for a card, and the card's schedule `before` that."""

    rating: Rating
    at: str
    before: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Card:
    """What is remembered of one question: fsrs' own dictionary, the day it was new, and every answer with its time."""

    schedule: Mapping[str, Any]
    first: str
    answers: tuple[tuple[str, bool], ...] = ()
    report: Counted | None = None

    @property
    def due(self) -> datetime:
        """When it comes back, in UTC."""
        return datetime.fromisoformat(self.schedule["due"])

    @property
    def sent_back(self) -> bool:
        """Whether a report said "again", and it has not been answered since."""
        report = self.report
        return report is not None and report.rating == "again" and self.schedule["last_review"] == report.at


@dataclass(slots=True)
class Deck:
    """All that is remembered of practice.

    `cards` by the id of the question; `noted` the mistakes that reports named last, by exercise, each with the
    exercise's score then (points); `events` what has not been counted yet.
    """

    cards: dict[str, Card] = field(default_factory=dict)
    noted: dict[str, dict[str, float]] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    @property
    def mistakes(self) -> list[str]:
        """The codes that the last reports named, each once."""
        return list(dict.fromkeys(code for codes in self.noted.values() for code in codes))


def _dump(deck: Deck) -> dict[str, Any]:
    return asdict(deck)


def _parse(data: Any) -> Deck:
    events = [Event(word(item["code"]), _rating(item["rating"]), moment(item["at"])) for item in data["events"]]
    return Deck(
        cards={name: _card(item) for name, item in data["cards"].items()},
        noted={name: {c: amount(s, 0, MOST_POINTS) for c, s in codes.items()} for name, codes in data["noted"].items()},
        events=events[-MOST_EVENTS:],
    )


def _card(item: Any) -> Card:
    report = item["report"]
    counted = None if report is None else _counted(report)
    first = date.fromisoformat(item["first"]).isoformat()
    return Card(_schedule(item["schedule"]), first, tuple(_answer(at, right) for at, right in item["answers"]), counted)


def _counted(item: Any) -> Counted:
    return Counted(_rating(item["rating"]), moment(item["at"]), _schedule(item["before"]))


def _answer(at: Any, right: Any) -> tuple[str, bool]:
    if not isinstance(right, bool):
        raise ValueError("neither right nor wrong")
    return moment(at), right


def _schedule(item: Any) -> dict[str, Any]:
    """The dictionary fsrs keeps of a card that was reviewed. Raises ValueError for what fsrs would stumble over."""
    state = whole(item["state"])
    if state not in (1, 2, 3) or (item["step"] is None) != (state == 2):
        raise ValueError("no state of a card")
    return {
        "card_id": whole(item["card_id"]),
        "state": state,
        "step": None if state == 2 else whole(item["step"]),
        "stability": amount(item["stability"], LEAST_STABILITY, MOST_STABILITY),
        "difficulty": amount(item["difficulty"], 1, 10),
        "due": moment(item["due"]),
        "last_review": moment(item["last_review"]),
    }


def _rating(text: Any) -> Rating:
    if text not in ("again", "good"):
        raise ValueError("no rating")
    return "again" if text == "again" else "good"


QUIZ = Memory("quiz", 1, Deck, _parse, _dump, "what you practised before starts again")
