"""The grader's side of a worker: start it, ask it, keep its time, kill it.

`InProcess` stands in for a worker where the code is trusted: the course's own solutions, and models of mistakes.
"""

from __future__ import annotations

import os
import secrets
import select
import socket
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any

from grader.course import Limits
from grader.errors import WorkerError
from grader.report import Ended, Response
from grader.worker import wire
from grader.worker.launch import START_SECONDS, Launcher, Process
from grader.worker.received import Hello, Loaded, insist, read_hello, read_loaded, read_response
from grader.worker.scratch import remove
from grader.worker.script import Line, Script

_LAST_WORDS_SECONDS = 0.5  # how long a process whose channel closed may take to end by itself
_LOOK_SECONDS = 0.02  # how often the clock is looked at while a call runs
_HARDLY_SECONDS = 1.0  # of processor time: a process that took more is not given to another job
CHUNK_BYTES = 64 << 10  # sent or received at a time
MAX_SCRATCH_FILES = 1_000
MAX_STATEMENTS = 1_000_000


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker is to load: sources and peers as the wire carries them, the main module and its function.

    `borrow` is "", "names" or "modules": what of the reference stands in for the submission's other exercises.
    """

    sources: tuple[Mapping[str, Any], ...]
    peers: tuple[Mapping[str, Any], ...]
    main: str
    function: str
    borrow: str = ""

    def header(self) -> dict[str, Any]:
        """What the wire says of it."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def lends(self) -> bool:
        """Whether something of the reference's is in it."""
        return any(peer["reference"] for peer in self.peers)


# ── a worker ───────────────────────────────────────────────────────────────────────────────────────


class Worker:
    """One process with one exercise loaded. Started on demand, and again after its process has ended.

    It may go on in the process of another (`take_over`).
    """

    def __init__(self, launcher: Launcher, job: Job, limits: Limits) -> None:
        self.launcher = launcher
        self.job = job
        self.limits = limits
        self.process: Process | None = None
        self.goes_on = False
        self.hello = Hello("", "", "")
        self.loaded = Loaded()
        self.asked: deque[tuple[Line, str]] = deque()  # calls put, and the tokens of the answers that are to be taken
        self.unsent = b""
        self.received = bytearray()  # and not yet read
        self.scratch = ""
        self.at = -1
        self.next_look = time.monotonic() + _LOOK_SECONDS
        self.seconds_left = limits.exercise_seconds

    def take_over(self, other: Worker) -> None:
        """Go on in the process of a worker that `may_be_followed`, which has it no more."""
        self.process, other.process = other.process, None
        self.hello, self.scratch, self.received = other.hello, other.scratch, other.received
        self.goes_on = True

    def may_be_followed(self, job: Job) -> bool:
        """Whether a job may have this process next: one of the same submission, and the process idle.

        Nothing of the reference's is to be in either of them. Answers that it still owes are taken first, for nobody.
        """
        if self.process is None or self.job.lends or job.lends or self.job.sources != job.sources:
            return False
        self._drop(len(self.asked))
        return self.process is not None and self._is_idle(self.process)

    def _is_idle(self, process: Process) -> bool:
        """Whether it has one thread, no file and hardly worked so far."""
        empty = next(_sizes(self.scratch), None) is None
        return empty and process.threads() == 1 and process.cpu_seconds() < _HARDLY_SECONDS

    def load(self) -> Loaded:
        """Load the submission, in a process that is started for it. Raises WorkerError where none can be.

        One that was taken over is given up where it proves to be worn, or has ended.
        """
        if self.process is None:
            self._start()
        reply = self._ask_to_load()
        if self.goes_on and _is_worn(reply):
            self.close()
            self._start()
            reply = self._ask_to_load()
        self.loaded = Loaded(ended=reply, at=self.at) if isinstance(reply, Ended) else self._read(read_loaded, *reply)
        return self.loaded

    def _ask_to_load(self) -> Ended | tuple[dict[str, Any], bytes]:
        token = secrets.token_hex(8)
        self.unsent = wire.encode({"ask": "load", **self.job.header(), "token": token})
        return self._ask(token, self.limits.load_cpu_seconds, self.limits.load_wall_seconds)

    def expect(self, script: Script) -> None:
        """Be ready for calls in this order: put all at once, since waiting for one after the other takes the time.

        What is called need not be what is expected: it is answered all the same.
        """
        self._drop(len(self.asked))
        if self.process is None:
            self.load()
        if self.process is not None:
            self._put(script)

    def call(self, args: Sequence[Any], named: Mapping[str, Any]) -> Response:
        """Ask the function once. Arguments are arrays and whole numbers. Raises WorkerError alone."""
        token = self._token_of(args, named)
        if not token:
            if self.process is None and (ended := self.load().ended) is not None:
                return Response(ended)
            self._put(Script([(args, named)]))
            _, token = self.asked.popleft()
        reply = self._answer_to(token)
        return Response(reply) if isinstance(reply, Ended) else self._read(read_response, *reply)

    def _token_of(self, args: Sequence[Any], named: Mapping[str, Any]) -> str:
        """The token of a call that was put already, past those that were put and are not made; "" where there is none.

        An end that a call not made brought about is none: the process is gone, and the next call starts another.
        """
        if self.asked and not self.asked[0][0].is_(args, named):
            places = (place for place, (line, _) in enumerate(self.asked) if line.is_(args, named))
            self._drop(next(places, len(self.asked)))
        return self.asked.popleft()[1] if self.asked else ""

    def _drop(self, calls: int) -> None:
        """Take the answers to so many calls that were put, for nobody. One that ends the process ends it for all."""
        for _ in range(calls):
            if not self.asked or isinstance(self._answer_to(self.asked.popleft()[1]), Ended):
                return

    def _put(self, script: Script) -> None:
        """Make calls ready to be sent, with the next answer that is asked for."""
        tokens = [secrets.token_hex(8) for _ in script.lines]
        self.asked.extend(zip(script.lines, tokens, strict=True))
        self.unsent = script.frame(tokens)

    def _answer_to(self, token: str) -> Ended | tuple[dict[str, Any], bytes]:
        return self._ask(token, self.limits.call_cpu_seconds, self.limits.call_wall_seconds)

    def close(self, patience: float = 0.0) -> str:
        """End the process and remove its scratch folder; how the process ended, in words."""
        if self.process is None:
            return ""
        words = self.process.end(patience)
        self.process, self.unsent, self.goes_on = None, b"", False
        self.asked.clear()
        self.received.clear()
        remove(self.scratch)
        return words

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> None:
        try:
            self.scratch = tempfile.mkdtemp(dir=self.launcher.scratch)
        except OSError as error:
            raise WorkerError(
                f"no scratch folder could be made: {error}", remedy="Free the temporary folder."
            ) from error
        bounds = {
            "memory_bytes": int(self.limits.memory_mebibytes * 2**20),
            "cpu_seconds": int(self.limits.exercise_seconds + self.limits.load_cpu_seconds) + 1,
            "scratch": self.scratch,
        }
        try:
            self.process = self.launcher.launch(bounds)
            self.process.channel.setblocking(False)
        except WorkerError:
            remove(self.scratch)
            raise
        try:
            hello, _ = wire.read(self._receive(_Clock(self.process, START_SECONDS, START_SECONDS)))
            self.hello = read_hello(hello)
        except (OSError, EOFError, wire.WireError, _TimeIsUp) as error:
            words = self.close(_LAST_WORDS_SECONDS)
            remedy = "Run `grade verify` to see why."
            raise WorkerError(f"a worker could not be started: it {words}", remedy=remedy) from error

    def _ask(self, token: str, cpu: float, wall: float) -> Ended | tuple[dict[str, Any], bytes]:
        """Send what is unsent and wait for an answer; an `Ended` where none came, and then the process is gone."""
        assert self.process is not None
        if self.seconds_left <= 0:
            self.close()
            used_up = f"was not made: the {self.limits.exercise_seconds:g} s for an exercise were used up"
            return Ended("timeout", used_up, waited=True)
        began = time.monotonic()
        clock = _Clock(self.process, cpu, wall, self._looked_at)
        try:
            if self.unsent:
                clock.start()
                self._expect_silence()
                self._send(self.unsent, clock)
                self.unsent = b""
            return self._answer(token, clock)
        except wire.WireError as error:
            self.close()
            return Ended("forbidden", f"broke the channel to the grader: {error}")
        except (_TimeIsUp, _TooMuch, EOFError, OSError) as error:
            return self._ended(error, clock)
        finally:
            self.seconds_left -= time.monotonic() - began

    def _expect_silence(self) -> None:
        """Nothing is on its way from the worker. Raises WireError; EOFError is for the answer to find."""
        assert self.process is not None
        with suppress(BlockingIOError):
            if self.received or self.process.channel.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT):
                raise wire.WireError("an answer before the question")

    def _answer(self, token: str, clock: _Clock) -> tuple[dict[str, Any], bytes]:
        """The answer to the question with that token; before it, while loading, words of how far it has come."""
        self.at = -1
        while True:
            header, body = wire.read(self._receive(clock))
            if header.pop("token", None) != token:
                raise wire.WireError("an answer to another question")
            if header.get("answer") != "at":
                return header, body
            insist(type(header.get("at")) is int and self.at < header["at"] < MAX_STATEMENTS and not body)
            self.at, clock.received = header["at"], len(self.received)

    def _ended(self, error: Exception, clock: _Clock) -> Ended:
        """What it means that no answer came: our worker never leaves one half sent."""
        ours = isinstance(error, (_TimeIsUp, _TooMuch))
        words = self.close(0.0 if ours else _LAST_WORDS_SECONDS)
        if clock.received:
            unfinished = "broke the channel to the grader: an answer begun and not finished"
            return Ended("forbidden", unfinished, waited=isinstance(error, _TimeIsUp))
        if isinstance(error, _TooMuch):
            return Ended("out-of-memory", str(error))
        return Ended("timeout", str(error), waited=True) if ours else Ended("crash", words)

    def _looked_at(self) -> str:
        """What the worker has taken too much of, looked at now and then, however busily it talks."""
        if time.monotonic() < self.next_look:
            return ""
        much = self._excess()
        self.next_look = time.monotonic() + _LOOK_SECONDS
        return much

    def _excess(self) -> str:
        """What the worker has taken too much of, in words; "" for nothing. Looked at now and then, not enforced."""
        assert self.process is not None
        if self.process.threads() > self.limits.threads:
            return f"ran more than {self.limits.threads:g} threads at once and was stopped"
        room = self.limits.scratch_mebibytes * 2**20
        for number, size in enumerate(_sizes(self.scratch), start=1):
            room -= size
            if number > MAX_SCRATCH_FILES or room < 0:
                limits = f"{self.limits.scratch_mebibytes:g} MiB or {MAX_SCRATCH_FILES} files"
                return f"wrote more than {limits} and was stopped"
        return ""

    def _send(self, data: bytes, clock: _Clock) -> None:
        assert self.process is not None
        channel, view = self.process.channel, memoryview(data)
        while view:
            try:
                view = view[channel.send(view[:CHUNK_BYTES]) :]
            except BlockingIOError:
                clock.wait_for(writable=channel)

    def _receive(self, clock: _Clock) -> wire.Recv:
        assert self.process is not None
        channel, received = self.process.channel, self.received

        def recv(size: int) -> bytes:
            while len(received) < size:
                clock.wait_for(readable=channel)
                chunk = channel.recv(CHUNK_BYTES)
                if not chunk:
                    raise EOFError
                received.extend(chunk)
                clock.received += len(chunk)
            with memoryview(received) as view:
                data = bytes(view[:size])
            del received[:size]
            return data

        return recv

    def _read(self, reader: Callable[[dict[str, Any], bytes], Any], header: dict[str, Any], body: bytes) -> Any:
        """Read an answer strictly: what is not to the letter ends the worker as forbidden."""
        try:
            return reader(header, body)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with an answer is the sender's doing
            self.close()
            ended = Ended("forbidden", f"broke the channel to the grader: {error}")
            return Loaded(ended=ended) if reader is read_loaded else Response(ended)


def _is_worn(reply: Ended | tuple[dict[str, Any], bytes]) -> bool:
    return not reply.waited if isinstance(reply, Ended) else reply[0].get("answer") == "worn"


def _sizes(folder: str) -> Iterator[float]:
    """The bytes of each file and folder in a folder, at any depth; without end where one cannot be looked into."""
    folders = [folder]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    with suppress(FileNotFoundError):
                        folders += [entry.path] if entry.is_dir(follow_symlinks=False) else []
                        yield entry.stat(follow_symlinks=False).st_size
        except (FileNotFoundError, NotADirectoryError):  # gone meanwhile
            continue
        except OSError:  # its name, or what it allows, keeps us out
            yield float("inf")


class _TooMuch(Exception):
    """More threads, or more files, than are allowed."""


class _TimeIsUp(Exception):
    """More processor time or more time by the clock than is allowed."""


class _Clock:
    """The time one question may take: seconds of the worker's processor time, and seconds by the clock."""

    def __init__(self, process: Process, cpu: float, wall: float, excess: Callable[[], str] = str) -> None:
        self.excess = excess
        self.process = process
        self.cpu = cpu
        self.wall = wall
        self.received = 0  # bytes of an answer that is not yet whole
        self.cpu_end = self.wall_end = 0.0  # once it runs: an answer that is there already needs no clock

    def start(self) -> None:
        """From here on time is counted."""
        self.cpu_end = self.process.cpu_seconds() + self.cpu
        self.wall_end = time.monotonic() + self.wall

    def wait_for(self, *, readable: socket.socket | None = None, writable: socket.socket | None = None) -> None:
        """Wait until a channel is ready. Raises _TimeIsUp or _TooMuch."""
        if not self.wall_end:
            self.start()
        reading = [readable] if readable else []
        writing = [writable] if writable else []
        while True:
            ready = select.select(reading, writing, [], _LOOK_SECONDS)
            if self.process.cpu_seconds() > self.cpu_end:
                raise _TimeIsUp(f"ran for more than {self.cpu:g} s of processor time and was stopped")
            if time.monotonic() > self.wall_end:
                raise _TimeIsUp(f"ran for more than {self.wall:.3g} s by the clock and was stopped")
            if much := self.excess():
                raise _TooMuch(much)
            if ready[0] or ready[1]:  # looked at last: a clock stops for nobody, however busily they talk
                return


# ── the stand-in for trusted code ──────────────────────────────────────────────────────────────────


class InProcess:
    """Calls a trusted function here, with a worker's interface: what it raises is an answer too."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def call(self, args: Sequence[Any], named: Mapping[str, Any]) -> Response:
        """Ask the function once, on copies of its arguments."""
        from grader.worker.answer import classify, raised

        args = [value.copy() if hasattr(value, "dtype") else value for value in args]
        named = {name: value.copy() if hasattr(value, "dtype") else value for name, value in named.items()}
        left = [value for value in (*args, *named.values()) if hasattr(value, "dtype")]
        try:
            header, results = classify(self.function(*args, **named))
        except Exception as error:  # noqa: BLE001 - whatever it raises is its answer
            header, results = {"answer": "raised", **raised(error, set())}, []
        body = b"".join(array.tobytes() for array in (*results, *left))
        silent = {"left": [wire.describe(array) for array in left], "output": "", "tried": []}
        return read_response(header | silent, body)
