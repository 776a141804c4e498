"""A crew on a Dask cluster: each worker grades with programs of its own, and Dask says which submission goes where.

Such a program outlives a submission, but neither its worker nor, by much, the last batch.
"""

from __future__ import annotations

import json
import logging
import math
import platform
import re
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import asdict
from io import BytesIO
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from grader.crew import SAME, Crew, Desks, Versions, in_words
from grader.desk import Terms
from grader.errors import ClusterError, GraderError, UsageError

if TYPE_CHECKING:
    from distributed import Client

    from grader.records import Record

CONNECT_SECONDS = 5.0
LOOK_SECONDS = 1.0  # between two looks at a cluster: workers come and go
PATIENCE_SECONDS = 5.0  # without a worker, before it is said that one is waited for
GO_ON = "What was graded is kept; the same command goes on from there."

_CALL = "__import__('grader.cluster').cluster.at_a_worker(parcel)"


# ── what a worker does ─────────────────────────────────────────────────────────────────────────────


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


# ── what is done here ──────────────────────────────────────────────────────────────────────────────


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
        remedy = "Install it beside the grader, here and on all machines: pip install distributed"
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
