"""What a class's records add up to: scores, mistakes and the students behind them, and submissions that are alike.

The points that a mistake costs a submission: the exercise's score with that mistake alone repaired, less its score now,
where `what_if` knows it; where it does not, the points the exercise lost, shared equally among its mistakes. If the
mistakes of an exercise so cost more than it lost, all of them are scaled down to what it lost.

A record that is not graded is counted, its student named, and no other number knows of it: not even of being alike.

Where there is nothing to grade, an untouched stub or no function at all, that is no mistake of anyone's thinking: it is
counted apart, and its checks nowhere.
"""

from __future__ import annotations

import builtins
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from grader.doubt import doubt
from grader.report import total

if TYPE_CHECKING:
    from grader.records import Record

Part: TypeAlias = Mapping[str, Any]  # of a record: one exercise, test or mistake as it is in JSON
Students: TypeAlias = tuple[str, ...]

UNEXPLAINED = "unexplained"
NOTHING = ("not-implemented", "missing-function")
MOST_BINS = 10
# What an answer may be shown as: numbers, or words of the grader's. Anything else may be a student's own text.
# No two of them begin alike, or what is nearly all numbers would be tried in every way that it can be cut.
NUMBERS = re.compile(r"(?:[\s\[\](),.\d+-]|e[+-]|nan|inf|True|False|masked)++")
GRADERS = re.compile(r"an array of shape \([\d, ]*\) \(\w+\)|an array of Python objects|a complex\d+ array|a text")
NUMPYS = {"AxisError", "LinAlgError", "UFuncTypeError"}
ENDED = {
    "timeout": "no answer in time",
    "out-of-memory": "no answer: it took too much memory",
    "crash": "no answer: it ended its process",
    "forbidden": "no answer: it tried what it may not do",
}
RAISED, NOTHING_KNOWN = "an exception", "something that is no array of numbers"


@dataclass(frozen=True, slots=True)
class Bin:
    """How many submissions scored from `low` points to below `high`; in the last one `high` is the maximum, and in."""

    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class Spread:
    """The scores of the class, in points; quartiles are interpolated between the two scores next to them."""

    mean: float
    lowest: float
    lower: float
    median: float
    upper: float
    highest: float


@dataclass(frozen=True, slots=True)
class ExerciseCount:
    """One exercise in the class: its mean in points, and how many of the submissions have all of its points."""

    name: str
    max_score: float
    submissions: int
    mean: float
    full: int


@dataclass(frozen=True, slots=True)
class Example:
    """A call that shows a mistake and what a student's function gave, with nothing that says whose it was."""

    call: str
    got: str


@dataclass(frozen=True, slots=True)
class MistakeCount:
    """A mistake in one exercise: what it costs the class in points, who made it, for how many it is only suspected."""

    exercise: str
    code: str
    title: str
    explanation: str
    points: float
    suspected: int
    students: Students
    example: Example | None


@dataclass(frozen=True, slots=True)
class Nothing:
    """Who handed in nothing to grade for one exercise, and the points that this costs the class."""

    exercise: str
    points: float
    students: Students


@dataclass(frozen=True, slots=True)
class Doubt:
    """A student whose work somebody should look at, and why."""

    student: str
    why: str


@dataclass(frozen=True, slots=True)
class Seed:
    """What the numbers of the hidden tests were drawn from; of a secret seed, its digest."""

    value: int
    secret: bool


@dataclass(frozen=True, slots=True)
class TestCount:
    """How often a test failed, of the times it was run on something: what was skipped or is an error counts nowhere."""

    exercise: str
    name: str
    title: str
    failed: int
    run: int

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.failed / self.run


@dataclass(frozen=True, slots=True)
class Cluster:
    """Students whose unexplained functions gave equal numbers on all probes: one unknown mistake, made by several."""

    exercise: str
    students: Students
    example: Example | None


@dataclass(frozen=True, slots=True)
class Identical:
    """Students whose submissions are the same after comments and spacing; `score` is the first one's, in points."""

    score: float
    students: Students


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """The class. `spread` is None where nothing was graded; groups have two students or more, the largest first."""

    title: str
    max_score: float
    graded: int
    full: int
    seeds: tuple[Seed, ...]
    not_graded: Students
    by_hand: tuple[Doubt, ...]
    spread: Spread | None
    bins: tuple[Bin, ...]
    exercises: tuple[ExerciseCount, ...]
    mistakes: tuple[MistakeCount, ...]
    nothing: tuple[Nothing, ...]
    tests: tuple[TestCount, ...]
    clusters: tuple[Cluster, ...]
    identical: tuple[Identical, ...]


def summarise(records: Iterable[Record]) -> ClassSummary:
    """Add up `records`, each looked at once and let go: kept are a few numbers and names a student."""
    tally = _Tally()
    for record in records:
        tally.add(record)
    return tally.summary()


def costs(exercise: Part) -> dict[str, float]:
    """The points that each mistake costs one exercise, by code, by the rule at the head of this module."""
    lost = max(exercise["max_score"] - exercise["score"], 0.0)
    codes = list(dict.fromkeys(mistake["code"] for mistake in exercise["mistakes"]))
    repaired = {tuple(each["repaired"]): each["score"] - exercise["score"] for each in exercise.get("what_if", ())}
    points = {code: max(repaired.get((code,), lost / len(codes)), 0.0) for code in codes}
    scale = min(lost / max(sum(points.values()), lost or 1.0), 1.0)
    return {code: value * scale for code, value in points.items()}


# ── adding up ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class _Marks:
    """What is counted of an exercise."""

    max_score: float
    submissions: int = 0
    points: float = 0.0
    full: int = 0


@dataclass(slots=True)
class _Made:
    """What is counted of a mistake."""

    title: str
    explanation: str
    points: float = 0.0
    suspected: int = 0
    students: list[str] = field(default_factory=list)
    example: Example | None = None
    typical: tuple[bool, ...] = ()


@dataclass(slots=True)
class _Alike:
    """Students of one kind: the score of the first, and an example of the first one that has one."""

    score: float = 0.0
    students: list[str] = field(default_factory=list)
    example: Example | None = None


class _Tally:
    def __init__(self) -> None:
        self.title = ""
        self.max_score = 0.0
        self.scores: list[float] = []
        self.full = 0
        self.seeds: dict[Seed, None] = {}  # in the order they came in
        self.not_graded: list[str] = []
        self.by_hand: list[Doubt] = []
        self.nothing: dict[str, _Made] = {}
        self.marks: dict[str, _Marks] = {}
        self.made: dict[tuple[str, str], _Made] = {}
        self.tests: dict[tuple[str, str], list[Any]] = {}  # title, failed, run
        self.probed: dict[tuple[str, str], _Alike] = {}
        self.written: dict[str, _Alike] = {}

    def add(self, record: Record) -> None:
        student = str(record["student"])
        self.title = self.title or record.get("title") or record["course"]
        if not record["graded"]:
            self.not_graded.append(student)
            return
        self.max_score = max(self.max_score, record["max_score"])
        self.scores.append(record["score"])
        self.full += record["score"] >= record["max_score"]
        if (seed := record.get("receipt", {}).get("seed")) is not None:
            self.seeds[Seed(seed, bool(record["receipt"].get("secret")))] = None
        if why := doubt(record):
            self.by_hand.append(Doubt(student, why))
        if likeness := record.get("likeness"):
            _join(self.written, likeness, student, score=record["score"])
        for exercise in record["exercises"]:
            self._add_exercise(exercise, student)

    def _add_exercise(self, exercise: Part, student: str) -> None:
        marks = self.marks.setdefault(exercise["name"], _Marks(exercise["max_score"]))
        marks.submissions += 1
        marks.points += exercise["score"]
        marks.full += exercise["score"] >= exercise["max_score"]
        if not _is_empty(exercise):
            for test in exercise["tests"]:
                self._add_test(exercise["name"], test)
        points = costs(exercise)
        for mistake in exercise["mistakes"]:
            if mistake["code"] in NOTHING:
                self._add_nothing(exercise["name"], student, points[mistake["code"]])
            else:
                self._add_mistake(exercise, mistake, student, points[mistake["code"]])

    def _add_test(self, exercise: str, test: Part) -> None:
        counted = self.tests.setdefault((exercise, test["name"]), [test.get("title") or test["name"], 0, 0])
        counted[1] += test["outcome"] == "failed"
        counted[2] += test["outcome"] in ("failed", "passed")

    def _add_nothing(self, exercise: str, student: str, points: float) -> None:
        made = self.nothing.setdefault(exercise, _Made("", ""))
        made.points += points
        made.students.append(student)

    def _add_mistake(self, exercise: Part, mistake: Part, student: str, points: float) -> None:
        words = mistake["title"], mistake["explanation"]
        made = self.made.setdefault((exercise["name"], mistake["code"]), _Made(*words))
        made.points += points
        made.suspected += mistake["certainty"] != "matched"
        made.students.append(student)
        example = _example(mistake)
        typical = (example is not None, mistake["certainty"] == "matched", len(exercise["mistakes"]) == 1)
        if typical > made.typical:
            made.typical, made.example = typical, example
        digest = exercise.get("probe_digest")
        if digest and mistake["code"] == UNEXPLAINED:
            _join(self.probed, (exercise["name"], digest), student, example=example)

    def summary(self) -> ClassSummary:
        return ClassSummary(
            title=self.title,
            max_score=self.max_score,
            graded=len(self.scores),
            full=self.full,
            seeds=tuple(self.seeds),
            not_graded=tuple(self.not_graded),
            by_hand=tuple(self.by_hand),
            spread=_spread(sorted(self.scores)),
            bins=_bins(self.scores, self.max_score),
            exercises=tuple(
                ExerciseCount(name, each.max_score, each.submissions, each.points / each.submissions, each.full)
                for name, each in self.marks.items()
            ),
            mistakes=_mistakes(self.made),
            nothing=tuple(
                Nothing(name, total([each.points]), tuple(each.students)) for name, each in self.nothing.items()
            ),
            tests=_tests(self.tests),
            clusters=tuple(
                Cluster(exercise, tuple(each.students), each.example) for (exercise, _), each in _groups(self.probed)
            ),
            identical=tuple(Identical(each.score, tuple(each.students)) for _, each in _groups(self.written)),
        )


def _is_empty(exercise: Part) -> bool:
    """Whether there was nothing to grade: an untouched stub fails every check, and says nothing of any."""
    return exercise["status"] == "not-implemented" or any(each["code"] in NOTHING for each in exercise["mistakes"])


def _join(groups: dict[Any, _Alike], key: Any, student: str, *, score: float = 0.0, example: Any = None) -> None:
    group = groups.setdefault(key, _Alike(score))
    group.students.append(student)
    group.example = group.example or example


def _groups(groups: Mapping[Any, _Alike]) -> list[tuple[Any, _Alike]]:
    """Those of two students and more, the largest first, else in the order they came in."""
    several = [(key, group) for key, group in groups.items() if len(group.students) > 1]
    return sorted(several, key=lambda each: -len(each[1].students))


def _mistakes(made: Mapping[tuple[str, str], _Made]) -> tuple[MistakeCount, ...]:
    """The most frequent first, among equals the most expensive."""
    counts = (
        MistakeCount(*key, each.title, each.explanation, total([each.points]), each.suspected, names, each.example)
        for key, each in made.items()
        for names in [tuple(each.students)]
    )
    return tuple(sorted(counts, key=lambda each: (-len(each.students), -each.points, each.exercise, each.code)))


def _tests(tests: Mapping[tuple[str, str], Sequence[Any]]) -> tuple[TestCount, ...]:
    """Those that failed at all, the most often failed first."""
    counts = [TestCount(*key, *counted) for key, counted in tests.items() if counted[1]]
    return tuple(sorted(counts, key=lambda each: (-each.failed, -each.share)))


# ── scores ─────────────────────────────────────────────────────────────────────────────────────────


def _spread(scores: Sequence[float]) -> Spread | None:
    """Of scores in order."""
    if not scores:
        return None
    quartiles = (_quantile(scores, share) for share in (0, 0.25, 0.5, 0.75, 1))
    return Spread(math.fsum(scores) / len(scores), *quartiles)


def _quantile(scores: Sequence[float], share: float) -> float:
    """The score below which `share` of the others lie: definition 7 of Hyndman and Fan, "Sample Quantiles" (1996)."""
    below, rest = divmod(share * (len(scores) - 1), 1)
    low, high = scores[int(below)], scores[math.ceil(below + rest)]
    return low + (high - low) * rest


def _bins(scores: Sequence[float], highest: float) -> tuple[Bin, ...]:
    """At most ten bins of one round width from 0 to `highest`; the last may be narrower."""
    if not scores or highest <= 0:
        return ()
    width = _width(highest / MOST_BINS)
    counts = [0] * math.ceil(round(highest / width, 9))
    for score in scores:
        counts[min(max(int(round(score / width, 9)), 0), len(counts) - 1)] += 1
    edges = [total([width * number]) for number in range(len(counts))] + [highest]
    return tuple(map(Bin, edges, edges[1:], counts))


def _width(least: float) -> float:
    """The next number from `least` on that is 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in (1, 2, 5, 10) if round(step * power, 9) >= round(least, 9))


# ── examples that say nothing of whose they are ────────────────────────────────────────────────────


def _example(mistake: Part) -> Example | None:
    """The evidence without its first line, which names the student's file, and with the answer made anonymous."""
    evidence = mistake.get("evidence")
    return Example(evidence["lines"][-1], anonymous(evidence["got"])) if evidence and evidence["lines"] else None


def anonymous(got: str) -> str:
    """An answer as numbers, or in the grader's words: an exception's message and a class's name are the student's own.

    Exceptions and types of Python's and NumPy's own are named; of all else the kind alone is told.
    """
    if NUMBERS.fullmatch(got) or GRADERS.fullmatch(got):
        return got
    head, colon, _ = got.partition(": ")
    if head in ENDED:
        return ENDED[head]
    if head in NUMPYS or _of_python(head, BaseException):
        return head
    if _of_python(got.removeprefix("an ").removeprefix("a "), object) or got == "None":
        return got
    return RAISED if colon else NOTHING_KNOWN


def _of_python(name: str, kind: type) -> bool:
    """Whether Python itself has a type of this kind by that name."""
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, kind)
