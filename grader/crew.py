"""Who grades a batch: programs on this machine, or those that the workers of a Dask cluster start on many.

Either way the unit of work is the same: one submission in, one result out, by a grader's program that no one else uses
meanwhile. On a cluster such a program outlives a submission, but neither its worker nor, by much, the last batch.
"""

from __future__ import annotations

import asyncio
import logging
import math
import platform
import re
import threading
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from grader.desk import Desk, Terms
from grader.errors import ClusterError, GraderError, UsageError

if TYPE_CHECKING:
    from distributed import Client

    from grader.records import Record

REST_SECONDS = 15.0  # that a worker keeps a program which nothing is asked of
CONNECT_SECONDS = 5.0
LOOK_SECONDS = 1.0  # between two looks at a cluster: workers come and go
PATIENCE_SECONDS = 5.0  # without a worker, before it is said that one is waited for
GO_ON = "What was graded is kept; the same command goes on from there."
SAME = "Install the same version of the package, and the same course, on all machines, the scheduler's too."

Versions = Mapping[str, str]


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


class Here:
    """So many programs on this machine."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.desks = Desks()
        self.executor = ThreadPoolExecutor(size, thread_name_prefix="desk")

    def version(self, terms: Terms) -> Versions:
        """What they grade with."""
        return self.executor.submit(self.desks.version, terms).result()

    def begin(self, terms: Terms, submission: Mapping[str, Any]) -> Future[Any]:
        """Have a submission graded."""
        return self.executor.submit(self.desks.record, terms, submission)

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


# ── a cluster: what its workers do ─────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, repr=False)
class Parcel:
    """What goes to a worker. Dask does not look into it, and no log of Dask's shows the seed or anyone's code."""

    terms: Terms
    submission: Mapping[str, Any] | None = None


_DESKS = Desks()  # of this process, where it is a worker


def unpack(parcel: Parcel) -> tuple[str, Any]:
    """On a worker: its machine, and the record of the submission, or the versions where there is none.

    Raises GraderError, which says on which machine.
    """
    machine = platform.node()
    try:
        if parcel.submission is None:
            return machine, _DESKS.version(parcel.terms)
        return machine, _DESKS.record(parcel.terms, parcel.submission)
    except GraderError as error:
        error.where = f"{machine}: {error.where}" if error.where else machine
        raise


# ── a cluster: what is done here ───────────────────────────────────────────────────────────────────


class Cluster:
    """The workers of a Dask scheduler, however many there are. `say` is told what a person should know meanwhile."""

    def __init__(self, client: Client, address: str, say: Callable[[str], None]) -> None:
        self.client = client
        self.address = address
        self.say = say
        self.executor = client.get_executor(pure=False)
        self.versions: Versions = {}
        self.threads = 0
        self.looked = -math.inf  # when the workers were counted last
        self.empty: float | None = None  # since when there is none; never, once that was said

    @property
    def size(self) -> int:
        """As many as the workers have threads; one where there is no worker, whose task waits for the first."""
        if time.monotonic() - self.looked >= LOOK_SECONDS:
            self._look()
        return max(self.threads, 1)

    def version(self, terms: Terms) -> Versions:
        """What the worker that is first at hand grades with. Raises GraderError."""
        future = self._submit(Parcel(terms))
        while not self.finished([future]):
            pass
        _, self.versions = self._unpacked(future)
        return self.versions

    def begin(self, terms: Terms, submission: Mapping[str, Any]) -> Future[Any]:
        """Have a submission graded."""
        return self._submit(Parcel(terms, submission))

    def finished(self, futures: Collection[Future[Any]]) -> Collection[Future[Any]]:
        """Wait for some of these; after a while there may be none. Raises ClusterError where the scheduler is gone."""
        done = wait(futures, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED).done
        if not done:
            self._look()
        return done

    def result(self, future: Future[Any]) -> Record:
        """The result of one that is finished. Raises GraderError: ClusterError where a worker is of another version."""
        machine, record = self._unpacked(future)
        receipt = {name: record["receipt"].get(name, "") for name in self.versions}
        if receipt != self.versions:
            what = f"grades with {in_words(receipt)}, the others with {in_words(self.versions)}"
            raise ClusterError(f"this worker {what}", where=machine, remedy=f"{SAME} {GO_ON}")
        return dict(record)

    def _submit(self, parcel: Parcel) -> Future[Any]:
        """A task of a name of its own: one that is made of the arguments tells of them, and is shared with others."""
        future: Future[Any] = self.executor.submit(unpack, parcel, key=f"grade-{uuid4().hex}")
        return future

    def _unpacked(self, future: Future[Any]) -> tuple[str, Any]:
        from distributed import KilledWorker

        if future.cancelled():
            raise self._lost()
        error = future.exception()
        if error is None:
            machine, value = future.result()
            return machine, value
        if isinstance(error, KilledWorker):
            raise GraderError("every worker that was to grade it died") from error
        if isinstance(error, GraderError):
            raise error
        why = " ".join(f"{type(error).__name__}: {error.__cause__ or error}".split())
        raise ClusterError(f"a machine of the cluster cannot run this package ({why})", remedy=SAME) from error

    def _look(self) -> None:
        """See how many workers there are, and say where there are none for some time. Raises ClusterError."""
        now = self.looked = time.monotonic()
        try:
            self.threads = sum(self.client.nthreads().values())
        except (OSError, RuntimeError) as error:
            raise self._lost() from error
        if self.client.status != "running":
            raise self._lost()
        if self.threads:
            self.empty = None
        elif self.empty is None:
            self.empty = now
        elif now - self.empty >= PATIENCE_SECONDS:
            self.empty = math.inf
            self.say("the cluster has no worker at the moment; waiting for one (Ctrl-C stops)")

    def _lost(self) -> ClusterError:
        return ClusterError("the Dask scheduler is gone, or has dropped the batch", where=self.address, remedy=GO_ON)


@contextmanager
def on_a_cluster(address: str, say: Callable[[str], None]) -> Iterator[Crew]:
    """The workers of a Dask scheduler. Raises UsageError where there is none, or no `distributed`."""
    with _quiet():
        client = _connected(address, say)
        try:
            yield Cluster(client, address, say)
        finally:
            client.close()  # which cancels what is queued


def _connected(address: str, say: Callable[[str], None]) -> Client:
    try:
        from distributed import Client
    except ImportError as error:
        remedy = "Install it: pip install 'attention-from-the-math-up[cluster]'"
        raise UsageError("a cluster needs the package distributed", remedy=remedy) from error
    kind = _who_answers(address)
    if kind != "Scheduler":
        remedy = "Give the address that `dask scheduler` prints when it starts."
        raise UsageError(f"this is no Dask scheduler but a {kind.lower()}", where=address, remedy=remedy)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False, name="grade")
        except (OSError, ImportError, ValueError) as error:
            raise _unreachable(address, error) from error
    for warning in caught:
        if differing := re.findall(r"^\| (\w\S*)", str(warning.message), re.MULTILINE)[1:]:
            say(f"not of one version here and on the cluster: {', '.join(differing)}")
    return client


def _who_answers(address: str) -> str:
    """What a Dask server at the address says it is. Raises UsageError.

    It is asked before a Client is made: that one would wait for ever for a server that is none of Dask's.
    """
    try:
        return asyncio.run(_identity(address))
    except Exception as error:  # whatever answers instead of a scheduler, and whatever a wrong text leads to
        raise _unreachable(address, error) from error


async def _identity(address: str) -> str:
    from distributed import rpc
    from distributed.security import Security

    keys = Security().get_connection_args("client")
    async with asyncio.timeout(CONNECT_SECONDS), rpc(address, timeout=CONNECT_SECONDS, connection_args=keys) as server:
        identity = await server.identity()
        return str(identity["type"])


def _unreachable(address: str, error: Exception) -> UsageError:
    where = address or "--dask"
    why = " ".join(str(error).split()) or f"no answer within {CONNECT_SECONDS:.0f} s"
    remedy = "Start one with `dask scheduler`, and give the address it prints, such as tcp://10.0.0.5:8786."
    if isinstance(error, TypeError) and "TLS" in why:
        why = "its certificates are not set up here"
        remedy = "Name them in Dask's configuration: distributed.comm.tls.ca-file, and .client.cert and .client.key."
    return UsageError(f"no Dask scheduler answers: {why}", where=where, remedy=remedy)


@contextmanager
def _quiet() -> Iterator[None]:
    """What Dask has to say goes to no one's terminal; what matters of it is said in our words."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def in_words(versions: Versions) -> str:
    """The versions of the grader and its course, short."""
    return f"grader {versions.get('grader')} with course {str(versions.get('course_version'))[:8]}"
