"""A whole class: every submission becomes one line of a ledger, the same whatever happens on the way.

    entries ── read ──> submission ── identity ──> known: its line again    ┐
                                              └──> new: crew ──> record ────┴──> ledger

What is graded already is not graded again, and what is the same as another is graded once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from grader.crew import SAME, in_words
from grader.errors import ClusterError, GraderError, SubmissionError
from grader.report import ExerciseReport, Receipt, Report, total
from grader.seed import digest

if TYPE_CHECKING:
    from concurrent.futures import Future

    from grader.course import Course
    from grader.crew import Crew
    from grader.desk import Terms
    from grader.handed_in import Entry
    from grader.ledger import Ledger
    from grader.records import Record
    from grader.submission import Submission

AHEAD = 2  # submissions that are read while others are graded, for each that is


@dataclass(slots=True)
class Tally:
    """How far a batch has come: submissions that were graded before, that were graded now, and that could not be."""

    before: int = 0
    now: int = 0
    failed: int = 0

    @property
    def done(self) -> int:
        """All that have a result."""
        return self.before + self.now + self.failed


class Batch:
    """One run over a class, on one set of terms, into one ledger.

    `progress` is told the tally after each result. `put` gets each result, also one from before, once it is kept.
    """

    def __init__(
        self,
        course: Course,
        terms: Terms,
        crew: Crew,
        ledger: Ledger,
        progress: Callable[[Tally], None],
        put: Callable[[Entry, Record], None] | None = None,
    ) -> None:
        self.course = course
        self.terms = terms
        self.crew = crew
        self.ledger = ledger
        self.progress = progress
        self.put = put
        self.tally = Tally()
        self.versions: Mapping[str, str] = {}
        self.pending: dict[Future[Record], str] = {}  # what is being graded, and its identity
        self.waiting: dict[str, list[Entry]] = {}  # by identity: who gets that result

    def run(self, entries: Iterable[Entry], read: Callable[[Entry], Submission]) -> Tally:
        """Grade what is not graded yet. Raises GraderError where nothing can be graded or kept."""
        self.versions = self._agreed(self.crew.version(self.terms))
        for entry in entries:
            while len(self.pending) >= AHEAD * self.crew.size:
                self._collect()
            self._begin(entry, read)
        while self.pending:
            self._collect()
        return self.tally

    def _agreed(self, versions: Mapping[str, str]) -> Mapping[str, str]:
        """The versions, if they are the ones here. Raises GraderError."""
        from grader import __version__

        here = {"grader": __version__, "course_version": self.course.version()}
        if versions != here:
            raise GraderError(f"what would grade is {in_words(versions)}; here is {in_words(here)}", remedy=SAME)
        return versions

    def _begin(self, entry: Entry, read: Callable[[Entry], Submission]) -> None:
        try:
            submission = read(entry)
        except SubmissionError as error:
            self._append(entry, identity_of_nothing(entry), not_graded(self.course, self.terms, str(error)))
            return
        packed = asdict(replace(submission, path=""))  # which is what it is called, not what it is
        identity = identity_of(packed, self.terms, self.versions)
        if self.ledger.done(own_of(entry, identity)):
            self.tally.before += 1
            self._done(entry, identity, None)
        elif identity in self.waiting:
            self.waiting[identity].append(entry)
        elif twin := self.ledger.twin(identity):
            self._append(entry, identity, twin)
        else:
            self.waiting[identity] = [entry]
            self.pending[self.crew.begin(self.terms, packed)] = identity

    def _collect(self) -> None:
        """Wait until something is graded, and write it down for all who handed it in."""
        for future in self.crew.finished(self.pending):
            identity = self.pending.pop(future)
            try:
                record = self.crew.result(future)
            except ClusterError:  # none of the others would fare better
                raise
            except GraderError as error:
                record = not_graded(self.course, self.terms, str(error))
            for entry in self.waiting.pop(identity):
                self._append(entry, identity, record)

    def _append(self, entry: Entry, identity: str, record: Record) -> None:
        report = {key: value for key, value in record.items() if key != "platform_id"}  # it may be another student's
        self.ledger.append({**report, **own_of(entry, identity)})
        self.tally.now += record["graded"]
        self.tally.failed += not record["graded"]
        self._done(entry, identity, record)

    def _done(self, entry: Entry, identity: str, record: Record | None) -> None:
        """Tell of a result; where there is no `record` it is the ledger's."""
        if self.put is not None and (known := record or self.ledger.twin(identity)):
            self.put(entry, known)
        self.progress(self.tally)


def own_of(entry: Entry, identity: str) -> Record:
    """What a record says that is not of the submission: whose it is, and what it is a result of."""
    own = {"student": entry.student, "submission": entry.name, "identity": identity}
    return own | ({"platform_id": entry.platform_id} if entry.platform_id else {})


def identity_of(packed: Mapping[str, Any], terms: Terms, versions: Mapping[str, str]) -> str:
    """A digest of all that a result depends on: what was handed in, the seed, the course and the grader."""
    everything = json.dumps([packed, terms.seed, terms.secret, sorted(versions.items())])
    return hashlib.sha256(everything.encode()).hexdigest()[:32]


def identity_of_nothing(entry: Entry) -> str:
    """Of what could not be read: nothing else has it."""
    return hashlib.sha256(entry.name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def not_graded(course: Course, terms: Terms, why: str) -> Record:
    """The record where the grader, or the machine, failed: nobody's zero."""
    from grader import __version__

    exercises = tuple(
        ExerciseReport(each.name, 0.0, each.points, "not-graded", notes=(f"The grader failed here: {why}",))
        for each in course.exercises
    )
    receipt = Receipt(
        sha256="",
        seed=digest(terms.seed) if terms.secret else terms.seed,
        secret=terms.secret,
        isolation="",
        grader=__version__,
        course_version=course.version(),
        python="",
        numpy="",
    )
    most = total(each.max_score for each in exercises)
    report = Report(course.name, course.title, "", graded=False, score=0.0, max_score=most, receipt=receipt)
    return replace(report, exercises=exercises).to_json()
