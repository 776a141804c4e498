"""Who grades a batch: programs on this machine, or those that the workers of a Dask cluster start on many.

Either way the unit of work is the same: one submission in, one result out, by a grader's program that no one else uses
meanwhile. On a cluster such a program outlives a submission, but neither its worker nor, by much, the last batch.
"""

from __future__ import annotations

import json
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
from dataclasses import asdict
from io import BytesIO
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from grader.desk import Desk, Terms
from grader.errors import ClusterError, GraderError, UsageError

if TYPE_CHECKING:
    from distributed import Client

    from grader.records import Record

REST_SECONDS = 5.0  # that a worker keeps a program which nothing is asked of
CONNECT_SECONDS = 5.0
LOOK_SECONDS = 1.0  # between two looks at a cluster: workers come and go
PATIENCE_SECONDS = 5.0  # without a worker, before it is said that one is waited for
GO_ON = "What was graded is kept; the same command goes on from there."
SAME = "Install the same version of the package, and the same course, on all machines."

Versions = Mapping[str, str]
_CALL = "__import__('grader.crew').crew.at_a_worker(parcel)"


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


_DESKS = Desks()  # of this process, where it is a worker


def at_a_worker(parcel: BytesIO) -> dict[str, Any]:
    """The answer to a parcel, in what is Python's own: a value and the machine it was found on, or an error."""
    sent = json.loads(parcel.getvalue())
    terms, submission, machine = Terms(**sent["terms"]), sent["submission"], platform.node()
    try:
        value = _DESKS.version(terms) if submission is None else _DESKS.record(terms, submission)
    except GraderError as error:
        where = f"{machine}: {error.where}" if error.where else machine
        return {"error": error.message, "where": where, "remedy": error.remedy}
    return {"value": value, "where": machine}


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
        future = self._send(terms, None)
        while not self.finished([future]):
            pass
        self.versions = self._answer(future)["value"]
        return self.versions

    def begin(self, terms: Terms, submission: Mapping[str, Any]) -> Future[Any]:
        """Have a submission graded."""
        return self._send(terms, submission)

    def finished(self, futures: Collection[Future[Any]]) -> Collection[Future[Any]]:
        """Wait for some of these; after a while there may be none. Raises ClusterError where the scheduler is gone."""
        done = wait(futures, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED).done
        if not done:
            self._look()
        return done

    def result(self, future: Future[Any]) -> Record:
        """The result of one that is finished. Raises GraderError: ClusterError where a worker is of another version."""
        answer = self._answer(future)
        record: Record = answer["value"]
        receipt = {name: record["receipt"].get(name, "") for name in self.versions}
        if receipt != self.versions:
            what = f"grades with {in_words(receipt)}, the others with {in_words(self.versions)}"
            raise ClusterError(f"this worker {what}", where=answer["where"], remedy=f"{SAME} {GO_ON}")
        return record

    def _send(self, terms: Terms, submission: Mapping[str, Any] | None) -> Future[Any]:
        """A task made of nothing but Python's own: a worker, and often the scheduler, that cannot load one is lost.

        Its name is its own, for one made from what is sent tells of it. What is sent is not shown where Dask logs it.
        """
        parcel = BytesIO(json.dumps({"terms": asdict(terms), "submission": submission}).encode())
        future: Future[Any] = self.executor.submit(eval, _CALL, {"parcel": parcel}, key=f"grade-{uuid4().hex}")
        return future

    def _answer(self, future: Future[Any]) -> dict[str, Any]:
        """What a worker answered. Raises GraderError."""
        from distributed import KilledWorker

        if future.cancelled():
            raise self._lost()
        error = future.exception()
        if isinstance(error, KilledWorker):
            raise GraderError("every worker that was to grade it died") from error
        if error is not None:
            why = " ".join(f"{type(error).__name__}: {error}".split())
            raise ClusterError(f"a worker of the cluster cannot run this package ({why})", remedy=SAME) from error
        answer: dict[str, Any] = future.result()
        if "error" in answer:
            raise GraderError(answer["error"], where=answer["where"], remedy=answer["remedy"])
        return answer

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
    import asyncio  # which a batch on this machine does not wait for

    try:
        return asyncio.run(_identity(address))
    except Exception as error:  # whatever answers instead of a scheduler, and whatever a wrong text leads to
        raise _unreachable(address, error) from error


async def _identity(address: str) -> str:
    import asyncio

    from distributed import rpc
    from distributed.security import Security

    keys = Security().get_connection_args("client")
    async with asyncio.timeout(CONNECT_SECONDS), rpc(address, timeout=CONNECT_SECONDS, connection_args=keys) as server:
        identity = await server.identity()
        return str(identity["type"])


def _unreachable(address: str, error: Exception) -> UsageError:
    from distributed.comm.core import CommClosedError

    remedy = "Start one with `dask scheduler`, and give the address it prints, such as tcp://10.0.0.5:8786."
    if isinstance(error, TimeoutError):
        why = f"no answer within {CONNECT_SECONDS:.0f} s"
    elif address.startswith("tls:"):
        why = "without certificates it speaks to nobody" if isinstance(error, TypeError) else str(error)
        remedy = "Name them in Dask's configuration: distributed.comm.tls.ca-file, .client.cert and .client.key."
    elif isinstance(error, CommClosedError):
        why = "it hangs up"
        remedy = "If it is one with TLS its address begins with tls://."
    else:
        why = str(error) if isinstance(error, OSError | ValueError) else "something else does"
    return UsageError(f"no Dask scheduler answers: {' '.join(why.split())}", where=address or "--dask", remedy=remedy)


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
