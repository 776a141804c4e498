"""What became of a workspace from run to run: scores, and the mistakes that are behind its author.

A run is an attempt where it says anything new: the same work graded again to the same result is none, and neither is
a fault of the grader's. All of it is kept in `.grade/progress.json`, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from grader.errors import UsageError
from grader.report import Report, total
from grader.state import MOST_POINTS, MOST_TIMES, Memory, amount, moment, whole, word

if TYPE_CHECKING:
    from pathlib import Path

MOST_ATTEMPTS = 200  # kept; of more, those go first that changed nothing
ROUNDED = 1e-6  # scores are, and may so be above the most there is
NO_MISTAKES = ("not-implemented", "unexplained")  # one is not begun, the other has no name: neither is conquered
NOTHING_RAN = ("missing-function", "syntax-error", "import-error")  # these hide what the function does


@dataclass(frozen=True, slots=True)
class Part:
    """One exercise of an attempt: its points, of how many, and the codes of its mistakes."""

    score: float
    max_score: float
    mistakes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Try:
    """One attempt: which work, when (UTC, ISO 8601), graded with what, and what came of each exercise it looked at."""

    at: str
    sha256: str
    seed: int
    course: str
    course_version: str
    parts: Mapping[str, Part]

    @property
    def time(self) -> datetime:
        """When it was graded."""
        return datetime.fromisoformat(self.at)

    def made_as(self, other: Try) -> bool:
        """Whether both graded the same work with the same course and seed."""
        mine, others = ((each.sha256, each.seed, each.course, each.course_version) for each in (self, other))
        return mine == others


@dataclass(slots=True)
class Attempts:
    """All attempts in one workspace, the oldest first. `left_out` were there once, and are kept no more."""

    tries: list[Try] = field(default_factory=list)
    left_out: int = 0


# ── remembering ────────────────────────────────────────────────────────────────────────────────────


def remember_attempt(workspace: Path, report: Report, now: datetime) -> str:
    """Keep a report as an attempt in the workspace; what the student has to be told, "" where all is well."""
    try:
        return PROGRESS.update(workspace, lambda attempts: note_attempt(attempts, report, now))[1]
    except UsageError as error:  # the report itself is as good
        return f"`grade progress` will not show this attempt: {error}"


def note_attempt(attempts: Attempts, report: Report, now: datetime) -> bool:
    """Add a report to the attempts; whether it was one: neither a fault of ours nor what is known already."""
    made = _try(report, now)
    if not report.graded or not made.parts or _known(made, attempts.tries):
        return False
    attempts.tries.append(made)
    _bound(attempts)
    return True


def _try(report: Report, now: datetime) -> Try:
    parts = {
        each.name: Part(each.score, each.max_score, tuple(mistake.code for mistake in each.mistakes))
        for each in report.exercises
    }
    made = report.receipt
    at = now.astimezone(UTC).isoformat(timespec="seconds")
    return Try(at, made.sha256, made.seed, report.course, made.course_version, parts)


def _known(made: Try, tries: Sequence[Try]) -> bool:
    """Whether the last attempts, all of this same work, say the same of every exercise."""
    parts: dict[str, Part] = {}
    for each in reversed(tries):
        if not made.made_as(each):
            break
        for name, part in each.parts.items():
            parts.setdefault(name, part)
    return all(parts.get(name) == part for name, part in made.parts.items())


def _bound(attempts: Attempts) -> None:
    """Leave out what is missed least: the oldest attempts that changed nothing, then the oldest but the first."""
    spare = max(0, len(attempts.tries) - MOST_ATTEMPTS)
    idle = [place for place, (one, two) in enumerate(pairwise(attempts.tries), 1) if one.parts == two.parts]
    left_out = set(idle[:spare])
    kept = [each for place, each in enumerate(attempts.tries) if place not in left_out]
    attempts.tries = kept[:1] + kept[1 + spare - len(left_out) :]
    attempts.left_out += spare


# ── looking back ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Conquest:
    """Mistakes of one exercise that are behind since one attempt, and what the exercise `gained` there.

    `number` and `at` are that attempt's. The gain is over the best there was before, so that all of an exercise's gains
    are never more than its points; 0.0 where there is none, or where others had a part in it that came back since.
    """

    exercise: str
    codes: tuple[str, ...]
    gained: float
    number: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Point:
    """How all stood after an attempt: its number from 1, when, and the points of every exercise as last graded."""

    number: int
    at: datetime
    scores: Mapping[str, float]

    @property
    def score(self) -> float:
        """All points."""
        return total(self.scores.values())


@dataclass(frozen=True, slots=True)
class Progress:
    """What `grade progress` tells: the points over time, what was conquered and what the last reports name still.

    `exercises` are the course's names with their points; `changed` are the numbers of attempts before which the course
    was changed.
    """

    title: str
    exercises: Mapping[str, float]
    points: tuple[Point, ...]
    conquests: tuple[Conquest, ...]
    standing: Mapping[str, tuple[str, ...]]
    changed: tuple[int, ...] = ()

    @property
    def max_score(self) -> float:
        """All points there are."""
        return total(self.exercises.values())

    @property
    def best(self) -> Point:
        """The best standing, the first of several."""
        return max(self.points, key=lambda point: point.score)


def look_back(attempts: Attempts, course: str, title: str, exercises: Mapping[str, float]) -> Progress:
    """The progress in one course, with the names and points of its exercises; attempts at others are passed over."""
    tries = [each for each in attempts.tries if each.course == course and set(each.parts) & set(exercises)]
    first = 1 + attempts.left_out
    return Progress(
        title=title,
        exercises=exercises,
        points=tuple(_points(tries, exercises, first)),
        conquests=tuple(sorted(_all_conquests(tries, exercises, first), key=lambda each: each.number)),
        standing={name: codes for name in exercises if (codes := _last(tries, name))},
        changed=tuple(
            first + place
            for place, (one, two) in enumerate(pairwise(tries), 1)
            if one.course_version != two.course_version
        ),
    )


def _points(tries: Sequence[Try], exercises: Iterable[str], first: int) -> Iterator[Point]:
    scores = dict.fromkeys(exercises, 0.0)
    for number, each in enumerate(tries, first):
        scores |= {name: part.score for name, part in each.parts.items() if name in scores}
        yield Point(number, each.time, dict(scores))


def _last(tries: Sequence[Try], name: str) -> tuple[str, ...]:
    """What the exercise's last report names."""
    return next((each.parts[name].mistakes for each in reversed(tries) if name in each.parts), ())


def _all_conquests(tries: Sequence[Try], exercises: Iterable[str], first: int) -> Iterator[Conquest]:
    for name in exercises:
        series = [
            (number, each.time, each.parts[name]) for number, each in enumerate(tries, first) if name in each.parts
        ]
        yield from _conquests(name, series)


def _conquests(name: str, series: Sequence[tuple[int, datetime, Part]]) -> Iterator[Conquest]:
    """Those of one exercise. A mistake is behind where it is named no more and the exercise earns more than with it.

    So what a syntax error hides is not conquered, nor is one that came back. That nothing could be run is behind only
    where the exercise is better than it ever was: a file put back is no conquest.
    """
    scores = [part.score for _, _, part in series]
    named = {code: place for place, (_, _, part) in enumerate(series) for code in part.mistakes}
    behind: dict[int, list[str]] = {}
    for code, last in named.items():
        after = next((place for place in range(last + 1, len(series)) if scores[place] > scores[last]), None)
        if after is not None and code not in NO_MISTAKES:
            behind.setdefault(after, []).append(code)
    for after, codes in behind.items():
        gained = max(0.0, total([scores[after], -max(scores[:after])]))
        if told := tuple(code for code in codes if gained or code not in NOTHING_RAN):
            number, at, part = series[after]
            others = set(series[after - 1][2].mistakes) - {*part.mistakes, *told, *NO_MISTAKES}
            yield Conquest(name, told, 0.0 if others else gained, number, at)


# ── what is written down ───────────────────────────────────────────────────────────────────────────


def _parse(data: Any) -> Attempts:
    attempts = Attempts([_parse_try(each) for each in data["tries"]], whole(data["left_out"], MOST_TIMES))
    _bound(attempts)
    return attempts


def _parse_try(data: Any) -> Try:
    return Try(
        at=moment(data["at"]),
        sha256=word(data["sha256"]),
        seed=whole(data["seed"]),
        course=word(data["course"]),
        course_version=word(data["course_version"]),
        parts={name: _parse_part(part) for name, part in data["parts"].items()},
    )


def _parse_part(data: Any) -> Part:
    most = amount(data["max_score"], 0, MOST_POINTS)
    return Part(amount(data["score"], 0, most + ROUNDED), most, tuple(map(word, data["mistakes"])))


PROGRESS = Memory("progress", 1, Attempts, _parse, asdict, "your progress starts again")
