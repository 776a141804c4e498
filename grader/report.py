"""The records of a grading, and schema 1 of the JSON report. Imports nothing of ours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    AnyArray: TypeAlias = NDArray[np.generic]

SCHEMA = 1

TestOutcome = Literal["passed", "failed", "skipped", "error"]
Status = Literal["passed", "failed", "not-implemented", "not-graded"]
Certainty = Literal["matched", "suspected"]


def total(points: Iterable[float]) -> float:
    """A sum of points without the noise of binary fractions: ten times 0.1 is 1."""
    return round(math.fsum(points), 6)


# ── what a worker answers ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Items:
    """A tuple came back; up to four of its arrays, for the diagnosis alone."""

    arrays: tuple[AnyArray, ...]


@dataclass(frozen=True, slots=True)
class Other:
    """Something that is no array of real numbers came back: `type_name` says what, in a learner's words."""

    type_name: str


@dataclass(frozen=True, slots=True)
class Huge:
    """An array too large to be any right answer; only its shape and dtype were sent."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception of the student's code: its type, the built-in kinds it is of, and the last line in their file."""

    type_name: str
    kinds: tuple[str, ...]
    message: str
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Ended:
    """The call ended its worker, or the grader ended it: `code` is timeout, out-of-memory, crash or forbidden.

    `waited` says that its time ran out: the function is not asked again.
    """

    code: str
    detail: str
    waited: bool = False


Answer: TypeAlias = "AnyArray | Items | Other | Huge | Raised | Ended"


@dataclass(frozen=True, slots=True, eq=False)
class Response:
    """One call's answer, what it left in its array arguments, what it printed, and what it tried and may not."""

    answer: Answer
    arguments: tuple[AnyArray, ...] = ()
    output: str = ""
    tried: tuple[str, ...] = ()


# ── what a suite and the diagnosis find ────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Outcome:
    """One hidden test's result. `points` and `max_points` are points of the course; `example` is two lines to paste."""

    name: str
    title: str
    points: float
    max_points: float
    outcome: TestOutcome
    message: str = ""
    targets: tuple[str, ...] = ()
    output: str = ""
    example: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Two lines to paste into Python that show a mistake, and what the student's own function gives there."""

    lines: tuple[str, ...]
    got: str


@dataclass(frozen=True, slots=True)
class Mistake:
    """A named way of being wrong, as this report states it."""

    code: str
    certainty: Certainty
    title: str
    explanation: str
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The score of the exercise, in points, with the mistakes of these codes repaired and all else as it is."""

    repaired: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Map:
    """Two tables of numbers of one shape, the student's and the right one: who attends to what, and how much.

    `rows` and `columns` say what a row and a column is. The student's numbers may be nan or infinite.
    """

    title: str
    rows: str
    columns: str
    yours: tuple[tuple[float, ...], ...]
    right: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class ExerciseReport:
    """One exercise's score (points), its tests, notes and mistakes; maps only where they were asked for.

    `probe_digest` is the same for functions that answered all probes with equal numbers; "" where none were put.
    """

    name: str
    score: float
    max_score: float
    status: Status
    tests: tuple[Outcome, ...] = ()
    notes: tuple[str, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    what_if: tuple[WhatIf, ...] = ()
    maps: tuple[Map, ...] = ()
    probe_digest: str = ""

    def repaired(self, code: str) -> float | None:
        """The score, in points, with this mistake alone repaired; None where that is not known."""
        return next((each.score for each in self.what_if if each.repaired == (code,)), None)

    @property
    def dearest_first(self) -> list[Mistake]:
        """The mistakes by what they cost, those last of which that is not known: as hints and reports take them."""
        return sorted(self.mistakes, key=lambda mistake: -(self.repaired(mistake.code) or 0.0))


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was graded, with what: enough to grade it again to the same report.

    Where the seed is `secret`, what stands for it is its digest.
    """

    sha256: str
    seed: int
    isolation: str
    grader: str
    course_version: str
    python: str
    numpy: str
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """The whole result. `graded` is False where the grader, not the student, failed."""

    course: str
    title: str
    submission: str
    graded: bool
    score: float
    max_score: float
    receipt: Receipt
    exercises: tuple[ExerciseReport, ...] = ()
    next_step: str = ""
    schema: int = field(default=SCHEMA)

    def to_json(self) -> dict[str, Any]:
        """Schema 1, as plain dicts, lists, strings and finite numbers."""
        return {
            "schema": self.schema,
            "course": self.course,
            "title": self.title,
            "submission": self.submission,
            "graded": self.graded,
            "score": self.score,
            "max_score": self.max_score,
            "receipt": _without_empty(_fields(self.receipt), "secret"),
            "exercises": [_exercise_to_json(exercise) for exercise in self.exercises],
            "next_step": self.next_step,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Report:
        """Read schema 1; keys it does not know are ignored. KeyError where a key it needs is missing."""
        known = _known(cls, {"title": data["course"], **data})
        known["receipt"] = Receipt(**_known(Receipt, data["receipt"]))
        known["exercises"] = tuple(_exercise_from_json(exercise) for exercise in data["exercises"])
        return cls(**known)


def _fields(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


def _known(record: Any, data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a record found in `data`, lists as tuples; KeyError for one that has to be there."""
    needed = [name for name, item in record.__dataclass_fields__.items() if item.default is MISSING]
    known = {name: data[name] for name in record.__dataclass_fields__ if name in data or name in needed}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in known.items()}


def _exercise_to_json(exercise: ExerciseReport) -> dict[str, Any]:
    data = _fields(exercise) | {
        "tests": [_outcome_to_json(outcome) for outcome in exercise.tests],
        "notes": list(exercise.notes),
        "mistakes": [_mistake_to_json(mistake) for mistake in exercise.mistakes],
        "what_if": [{"repaired": list(each.repaired), "score": each.score} for each in exercise.what_if],
        "maps": [
            _fields(each) | {"yours": _finite(each.yours), "right": _finite(each.right)} for each in exercise.maps
        ],
    }
    return _without_empty(data, "what_if", "maps", "probe_digest")


def _finite(table: tuple[tuple[float, ...], ...]) -> list[list[float | None]]:
    """A table for JSON, where what is not finite is null."""
    return [[value if math.isfinite(value) else None for value in row] for row in table]


def _table(rows: Iterable[Iterable[float | None]]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(math.nan if value is None else value for value in row) for row in rows)


def _outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    data = _fields(outcome) | {"targets": list(outcome.targets), "example": list(outcome.example)}
    return _without_empty(data, "output", "example")


def _mistake_to_json(mistake: Mistake) -> dict[str, Any]:
    evidence = mistake.evidence and {"lines": list(mistake.evidence.lines), "got": mistake.evidence.got}
    return _without_empty(_fields(mistake) | {"evidence": evidence}, "evidence")


def _without_empty(data: dict[str, Any], *optional: str) -> dict[str, Any]:
    return {name: value for name, value in data.items() if value or name not in optional}


def _exercise_from_json(data: Mapping[str, Any]) -> ExerciseReport:
    known = _known(ExerciseReport, data) | {
        "tests": tuple(Outcome(**_known(Outcome, test)) for test in data["tests"]),
        "mistakes": tuple(map(_mistake_from_json, data["mistakes"])),
        "what_if": tuple(WhatIf(**_known(WhatIf, each)) for each in data.get("what_if", ())),
        "maps": tuple(
            Map(**_known(Map, each) | {"yours": _table(each["yours"]), "right": _table(each["right"])})
            for each in data.get("maps", ())
        ),
    }
    return ExerciseReport(**known)


def _mistake_from_json(data: Mapping[str, Any]) -> Mistake:
    evidence = data.get("evidence")
    return Mistake(**_known(Mistake, data) | {"evidence": Evidence(**_known(Evidence, evidence)) if evidence else None})
