"""What a report says to a person, grouped and worded, not yet drawn; every string in it is safe to show."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING

from grader.render import words
from grader.render.characters import cleaned
from grader.render.lines import abridged, one_line, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from grader.report import ExerciseReport, Map, Mistake, Outcome, Report, Status, TestOutcome

OUTPUT_LINES = 20
EXPLANATION_WIDTH = 2000  # a paragraph of the course's own
OUTPUT_WIDTH, OUTPUT_WIDTH_ASKED = 200, 4000


@dataclass(frozen=True, slots=True)
class Row:
    """One exercise's line, or the total's. `share` is the part of the points earned, None where not known."""

    name: str
    score: str
    share: float | None
    status: str = ""
    kind: Status = "failed"

    @property
    def sentence(self) -> str:
        """The line in words, for where there is no room or no use for columns."""
        return f"{self.name}: {self.score}, {self.status}" if self.status else f"{self.name}: {self.score}"


@dataclass(frozen=True, slots=True)
class Check:
    """A failed check, and in one sentence those that fail the same way."""

    title: str
    lost: str
    message: str
    printed: tuple[str, ...]
    more: str
    example: tuple[str, ...]
    alike: str
    lost_alike: str  # by all of them, for where the sentence is not told


@dataclass(frozen=True, slots=True)
class Finding:
    """A mistake, `certainty` saying in words how sure the grader is of it; by its `code` its hints are found."""

    code: str
    sure: bool
    certainty: str
    title: str
    explanation: str
    evidence: tuple[str, ...]
    got: str
    gain: str


@dataclass(frozen=True, slots=True)
class Section:
    """What there is to tell of one exercise below its line. `maps` are for formats that can draw them."""

    name: str
    score: str
    faults: tuple[str, ...]
    checks: tuple[Check, ...]
    not_run: tuple[str, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    maps: tuple[Map, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.faults or self.checks or self.not_run or self.findings or self.notes or self.maps)


@dataclass(frozen=True, slots=True)
class Page:
    """The whole report in the order it is read."""

    title: str
    submission: str
    notice: str
    rows: tuple[Row, ...]
    total: Row
    praise: str
    sections: tuple[Section, ...]
    next_step: str
    receipt: tuple[str, ...]


def page(report: Report, *, show_output: bool = False) -> Page:
    """Lay out `report`; `show_output` keeps every line that failed checks printed."""
    report = _bounded(cleaned(report))
    passed = all(exercise.status == "passed" for exercise in report.exercises)
    return Page(
        title=report.title,
        submission=report.submission,
        notice=words.notice(report),
        rows=tuple(map(_row, report.exercises)),
        total=_total(report),
        praise=words.PRAISE if report.graded and report.exercises and passed else "",
        sections=_told_once(_section(exercise, show_output=show_output) for exercise in report.exercises),
        next_step=report.next_step,
        receipt=words.receipt(report.receipt),
    )


def _bounded(report: Report) -> Report:
    """`report` with names, titles and messages of bounded length; output and examples have theirs."""
    return replace(
        report,
        title=one_line(report.title),
        submission=one_line(report.submission),
        next_step=abridged(report.next_step),
        exercises=tuple(map(_bounded_exercise, report.exercises)),
    )


def _bounded_exercise(exercise: ExerciseReport) -> ExerciseReport:
    return replace(
        exercise,
        name=one_line(exercise.name),
        notes=tuple(map(abridged, exercise.notes)),
        mistakes=tuple(
            replace(each, title=one_line(each.title), explanation=shortened(each.explanation, EXPLANATION_WIDTH))
            for each in exercise.mistakes
        ),
        tests=tuple(
            replace(test, title=one_line(test.title), message=abridged(test.message)) for test in exercise.tests
        ),
        maps=tuple(
            replace(each, title=one_line(each.title), rows=one_line(each.rows), columns=one_line(each.columns))
            for each in exercise.maps
        ),
    )


def _row(exercise: ExerciseReport) -> Row:
    return Row(
        name=exercise.name,
        score=_score(exercise),
        share=_share(exercise.score, exercise.max_score) if words.decided(exercise) > 0 else None,
        status=words.status(exercise),
        kind=exercise.status,
    )


def _score(exercise: ExerciseReport) -> str:
    return words.score(exercise.score, exercise.max_score, words.decided(exercise))


def _total(report: Report) -> Row:
    known = report.max_score if report.graded else sum(map(words.decided, report.exercises))
    return Row(
        name="total",
        score=words.score(report.score, report.max_score, known),
        share=_share(report.score, report.max_score) if known > 0 else None,
    )


def _share(score: float, of: float) -> float | None:
    return min(max(score / of, 0.0), 1.0) if of > 0 else None


def _section(exercise: ExerciseReport, *, show_output: bool) -> Section:
    tests = () if exercise.status == "not-implemented" else exercise.tests
    return Section(
        name=exercise.name,
        score=_score(exercise),
        faults=_faults(exercise),
        checks=tuple(_check(group, show_output=show_output) for group in _failures(tests, show_output=show_output)),
        not_run=tuple(map(words.not_run, _grouped(tests, "skipped"))),
        findings=tuple(_finding(mistake, exercise) for mistake in exercise.dearest_first if _tells(mistake)),
        notes=exercise.notes,
        maps=exercise.maps,
    )


def _told_once(sections: Iterable[Section]) -> tuple[Section, ...]:
    """Those that hold anything; what explains a mistake of several exercises is told with the first alone."""
    told: dict[str, str] = {}  # explanations, and where
    return tuple(
        replace(each, findings=tuple(_pointed(finding, each.name, told) for finding in each.findings))
        for each in sections
        if each
    )


def _pointed(finding: Finding, here: str, told: dict[str, str]) -> Finding:
    where = told.setdefault(finding.explanation, here)
    return finding if where == here or not finding.explanation else replace(finding, explanation=words.as_with(where))


def _faults(exercise: ExerciseReport) -> tuple[str, ...]:
    faults = tuple(map(words.fault, _grouped(exercise.tests, "error")))
    if exercise.status == "not-graded" and not faults:
        return (words.ungraded(exercise),)
    return faults


def _failures(tests: Sequence[Outcome], *, show_output: bool) -> list[list[Outcome]]:
    """Failed checks, those with one message together.

    Without messages, which a course may keep to itself, none is the same as another; and where all output
    is wanted none is dropped.
    """
    return _grouped(tests, "failed", lambda test: (_alike(test.message) or test.name, show_output and test.output))


def _alike(message: str) -> str:
    """A message without its figures: what differs in nothing else fails the same way."""
    return re.sub(r"\d[\d,.]*", "#", message)


def _grouped(
    tests: Sequence[Outcome],
    outcome: TestOutcome,
    key: Callable[[Outcome], Hashable] = attrgetter("message"),
) -> list[list[Outcome]]:
    """The tests with `outcome`, those with one `key` together, in order."""
    groups: dict[Hashable, list[Outcome]] = {}
    for test in tests:
        if test.outcome == outcome:
            groups.setdefault(key(test), []).append(test)
    return list(groups.values())


def _check(group: Sequence[Outcome], *, show_output: bool) -> Check:
    test, others = group[0], group[1:]
    printed, more = _printed(test.output, show_output=show_output)
    return Check(
        title=words.title(test),
        lost=words.lost([test]),
        message=test.message,
        printed=printed,
        more=more,
        example=tuple(line for part in test.example for line in part.split("\n")),
        alike=words.alike(others) if others else "",
        lost_alike=words.lost_alike(group),
    )


def _printed(output: str, *, show_output: bool) -> tuple[tuple[str, ...], str]:
    """The lines of `output` to show, and how many more there are."""
    lines = output.strip("\n").split("\n") if output.strip() else []
    shown = lines if show_output else lines[:OUTPUT_LINES]
    more = words.more_lines(len(lines) - len(shown)) if len(lines) > len(shown) else ""
    limit = OUTPUT_WIDTH_ASKED if show_output else OUTPUT_WIDTH
    return tuple(shortened(line.rstrip(), limit) for line in shown), more


def _tells(mistake: Mistake) -> bool:
    # The exercise's own line has said it already.
    return mistake.code != "not-implemented"


def _finding(mistake: Mistake, exercise: ExerciseReport) -> Finding:
    return Finding(
        code=mistake.code,
        sure=mistake.certainty == "matched",
        certainty=words.certainty(mistake),
        title=mistake.title.rstrip("."),
        explanation=mistake.explanation,
        evidence=mistake.evidence.lines if mistake.evidence else (),
        got=mistake.evidence.got if mistake.evidence else "",
        gain=words.gain(mistake, exercise),
    )
