"""Who grades a batch: the grader's programs, here on this machine, in `cluster.py` on those of a Dask cluster.

Either way the unit of work is the same: one submission in, one result out, by a program that none else uses meanwhile.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from grader.desk import Desk, Terms
from grader.errors import GraderError

if TYPE_CHECKING:
    from grader.records import Record

LONG_SECONDS = 3.0  # of one submission, before another has its turn
OVERTIMES = 8  # that there may be for each program: each is another program, of some 60 MB that it mostly shares
MOST_OVERTIMES = 32
REST_SECONDS = 5.0  # that a worker keeps a program which nothing is asked of
SAME = "Install the same version of the package, and the same course, on all machines."

Versions = Mapping[str, str]


def processors() -> int:
    """Those that this may run on, which on a shared machine are not all it has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Crew(Protocol):
    """Those who grade a batch."""

    @property
    def size(self) -> int:
        """How many submissions they grade at a time, at the moment."""

    def version(self, terms: Terms) -> Versions:
        """What they grade with. Raises GraderError where nothing can be graded."""

    def begin(self, terms: Terms, submission: Mapping[str, Any]) -> Future[Any]:
        """Have a submission graded."""

    def finished(self, futures: Collection[Future[Any]]) -> Collection[Future[Any]]:
        """Wait for some of these, but not for ever. Raises ClusterError where nothing more will come."""

    def result(self, future: Future[Any]) -> Record:
        """The result of one that is finished. Raises GraderError: a ClusterError where the others fare no better."""


class Desks:
    """Grader's programs, each kept for the next submission on the same terms, and ended when none comes for a while."""

    def __init__(self) -> None:
        self.turn = threading.Lock()
        self.at_work: set[Desk] = set()
        self.at_rest: list[tuple[float, Desk]] = []  # and since when
        self.clock: threading.Timer | None = None
        self.closed = False

    def record(self, terms: Terms, submission: Mapping[str, Any]) -> Record:
        """The result of one submission. Where the grader fails it is tried once more; raises GraderError if in vain."""
        with self._desk(terms) as desk:
            try:
                result = _record(desk, submission)
            except GraderError:
                if self.closed:
                    raise
            else:
                if result["graded"]:
                    return result
            return _record(desk, submission)

    def version(self, terms: Terms) -> Versions:
        """The versions of the grader and of the course. Raises GraderError where nothing can be graded."""
        with self._desk(terms) as desk:
            versions: Versions = desk.ask({"ask": "version"})["version"]
            return versions

    def close(self) -> None:
        """End all programs, at work or not."""
        with self.turn:
            self.closed = True
            desks = [*self.at_work, *(desk for _, desk in self.at_rest)]
            self.at_rest.clear()
            if self.clock is not None:
                self.clock.cancel()
        for desk in desks:
            desk.retire()

    @contextmanager
    def _desk(self, terms: Terms) -> Iterator[Desk]:
        """One on these terms, for oneself: the one that went to rest last."""
        with self.turn:
            if self.closed:
                raise GraderError("the batch has ended")
            place = next((place for place in reversed(self.at_rest) if place[1].terms == terms), None)
            desk = place[1] if place else Desk(terms)
            if place:
                self.at_rest.remove(place)
            self.at_work.add(desk)
        try:
            yield desk
        finally:
            self._rest(desk)

    def _rest(self, desk: Desk) -> None:
        with self.turn:
            self.at_work.discard(desk)
            if not self.closed:
                self.at_rest.append((time.monotonic(), desk))
                self._set_clock()
                return
        desk.close()

    def _set_clock(self) -> None:
        if self.clock is None and self.at_rest:
            self.clock = threading.Timer(REST_SECONDS, self._clear)
            self.clock.daemon = True
            self.clock.start()

    def _clear(self) -> None:
        """End the programs that nothing was asked of for so long."""
        long_ago = time.monotonic() - REST_SECONDS
        with self.turn:
            idle = [desk for since, desk in self.at_rest if since <= long_ago]
            self.at_rest = [place for place in self.at_rest if place[0] > long_ago]
            self.clock = None
            self._set_clock()
        for desk in idle:
            desk.close()


def _record(desk: Desk, submission: Mapping[str, Any]) -> Record:
    record: Record = desk.ask({"ask": "record", "submission": submission})["record"]
    return record


# ── this machine ───────────────────────────────────────────────────────────────────────────────────


class Turns:
    """So many at a time. One that takes long, and mostly waits, gives its turn to another: `overtimes` of them do."""

    def __init__(self, most: int, most_overtimes: int) -> None:
        self.free = threading.Semaphore(most)
        self.lock = threading.Lock()
        self.overtimes = 0
        self.most_overtimes = most_overtimes
        self.late: deque[_Turn] = deque()  # that would give their turn, once there may be one more

    @contextmanager
    def one(self) -> Iterator[None]:
        """Wait for a turn, and have it."""
        self.free.acquire()
        turn = _Turn(self)
        clock = threading.Timer(LONG_SECONDS, turn.give)
        clock.daemon = True
        clock.start()
        try:
            yield
        finally:
            clock.cancel()
            turn.end()


class _Turn:
    """One turn, given to another or ended, whichever comes first."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.is_given = False
        self.is_over = False

    def give(self) -> None:
        """Give it to another, now or when there may be one more of those."""
        with self.turns.lock:
            if self.is_over:
                return
            if self.turns.overtimes >= self.turns.most_overtimes:
                self.turns.late.append(self)
                return
            self.is_given = True
            self.turns.overtimes += 1
        self.turns.free.release()

    def end(self) -> None:
        """It is over, and with it its overtime."""
        with self.turns.lock:
            self.is_over = True
            self.turns.overtimes -= self.is_given
            late = [self.turns.late.popleft() for _ in range(min(self.is_given, len(self.turns.late)))]
        if not self.is_given:
            self.turns.free.release()
        for turn in late:
            turn.give()


class Here:
    """So many programs on this machine; and a few more while some of them wait for a submission that takes its time."""

    def __init__(self, most: int) -> None:
        self.most = most
        overtimes = min(most * OVERTIMES, MOST_OVERTIMES)
        self.turns = Turns(most, overtimes)
        self.desks = Desks()
        self.executor = ThreadPoolExecutor(most + overtimes, thread_name_prefix="desk")

    @property
    def size(self) -> int:
        """How many submissions are graded at a time."""
        return self.most + self.turns.overtimes

    def version(self, terms: Terms) -> Versions:
        """What they grade with."""
        return self.executor.submit(self.desks.version, terms).result()

    def begin(self, terms: Terms, submission: Mapping[str, Any]) -> Future[Any]:
        """Have a submission graded."""
        return self.executor.submit(self._record, terms, submission)

    def _record(self, terms: Terms, submission: Mapping[str, Any]) -> Record:
        with self.turns.one():
            return self.desks.record(terms, submission)

    def finished(self, futures: Collection[Future[Any]]) -> Collection[Future[Any]]:
        """Wait for some of these."""
        return wait(futures, return_when=FIRST_COMPLETED).done

    def result(self, future: Future[Any]) -> Record:
        """The result of one that is finished."""
        record: Record = future.result()
        return record

    def close(self) -> None:
        """End them."""
        self.executor.shutdown(wait=False, cancel_futures=True)
        self.desks.close()
        self.executor.shutdown()


@contextmanager
def on_this_machine(workers: int) -> Iterator[Crew]:
    """So many programs on this machine, ended with the batch."""
    crew = Here(workers)
    try:
        yield crew
    finally:
        crew.close()


def in_words(versions: Versions) -> str:
    """The versions of the grader and its course, short."""
    return f"grader {versions.get('grader')} with course {str(versions.get('course_version'))[:8]}"
