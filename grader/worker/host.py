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
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from grader.course import Limits
from grader.errors import WorkerError
from grader.report import Ended, Huge, Items, Other, Raised, Response
from grader.worker import wire
from grader.worker.launch import START_SECONDS, Launcher, Process, remove

_LAST_WORDS_SECONDS = 0.5  # how long a process whose channel closed may take to end by itself
_LOOK_SECONDS = 0.02  # how often the clock is looked at while a call runs


MAX_TEXT = 66_000  # characters: what a worker keeps of the output, and how much more there was
MAX_TEXTS = 20
MAX_DIMENSIONS = 64
MAX_SCRATCH_FILES = 1_000
MAX_STATEMENTS = 1_000_000
MAX_LINE = 1 << 31  # Python's own

T = TypeVar("T")


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


@dataclass(frozen=True, slots=True)
class Loaded:
    """What loading gave: whether there is something to call, what failed on the way, what was printed.

    `ended` is set where loading was ended or ended the process; `names` are the other exercises it has a name of;
    `tried` is what it was seen to try and may not; `at`, of a notebook that ended so, is the statement that it was at.
    """

    callable: bool = False
    names: tuple[str, ...] = ()
    problems: tuple[tuple[str, Raised], ...] = ()
    output: str = ""
    ended: Ended | None = None
    tried: tuple[str, ...] = ()
    at: int = -1


@dataclass(frozen=True, slots=True)
class Hello:
    """What a worker says before it loads anything: what confinement took hold, and its versions."""

    isolation: str
    python: str
    numpy: str


# ── a worker ───────────────────────────────────────────────────────────────────────────────────────


class Worker:
    """One process with one exercise loaded. Started on demand, and again after its process has ended."""

    def __init__(self, launcher: Launcher, job: Job, limits: Limits) -> None:
        self.launcher = launcher
        self.job = job
        self.limits = limits
        self.process: Process | None = None
        self.hello = Hello("", "", "")
        self.loaded = Loaded()
        self.scratch = ""
        self.at = -1
        self.seconds_left = limits.exercise_seconds

    def load(self) -> Loaded:
        """Start the process and load the submission. Raises WorkerError where the process cannot be started."""
        self._start()
        ask = {"ask": "load", **asdict(self.job)}
        reply = self._ask(ask, [], self.limits.load_cpu_seconds, self.limits.load_wall_seconds)
        self.loaded = Loaded(ended=reply, at=self.at) if isinstance(reply, Ended) else self._read(_loaded, *reply)
        return self.loaded

    def call(self, args: Sequence[Any], named: Mapping[str, Any]) -> Response:
        """Ask the function once. Arguments are arrays and whole numbers. Raises WorkerError alone."""
        if self.process is None and (ended := self.load().ended) is not None:
            return Response(ended)
        arrays = [value for value in (*args, *named.values()) if hasattr(value, "dtype")]
        ask = {
            "ask": "call",
            "args": [None if hasattr(value, "dtype") else int(value) for value in args],
            "named": {name: None if hasattr(value, "dtype") else int(value) for name, value in named.items()},
            "arrays": [wire.describe(array) for array in arrays],
        }
        reply = self._ask(ask, arrays, self.limits.call_cpu_seconds, self.limits.call_wall_seconds)
        return Response(reply) if isinstance(reply, Ended) else self._read(_response, *reply)

    def close(self, patience: float = 0.0) -> str:
        """End the process and remove its scratch folder; how the process ended, in words."""
        if self.process is None:
            return ""
        words = self.process.end(patience)
        self.process = None
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
        except WorkerError:
            remove(self.scratch)
            raise
        try:
            hello, _ = wire.read(self._receive(_Clock(self.process, START_SECONDS, START_SECONDS)))
            self.hello = _hello(hello)
        except (OSError, EOFError, wire.WireError, _TimeIsUp) as error:
            words = self.close(_LAST_WORDS_SECONDS)
            raise WorkerError(f"a worker could not be started: it {words}") from error

    def _ask(
        self, ask: dict[str, Any], arrays: Sequence[Any], cpu: float, wall: float
    ) -> Ended | tuple[dict[str, Any], bytes]:
        """Send a question and wait for its answer; an `Ended` where none came, and then the process is gone."""
        assert self.process is not None
        if self.seconds_left <= 0:
            self.close()
            used_up = f"was not made: the {self.limits.exercise_seconds:g} s for an exercise were used up"
            return Ended("timeout", used_up, waited=True)
        token = secrets.token_hex(8)
        began = time.monotonic()
        clock = _Clock(self.process, cpu, wall, self._excess)
        try:
            if select.select([self.process.channel], [], [], 0)[0] and self.process.channel.recv(1, socket.MSG_PEEK):
                raise wire.WireError("an answer before the question")
            self._send(wire.encode({**ask, "token": token}, arrays), clock)
            return self._answer(token, clock)
        except wire.WireError as error:
            self.close()
            return Ended("forbidden", f"broke the channel to the grader: {error}")
        except (_TimeIsUp, _TooMuch, EOFError, OSError) as error:
            return self._ended(error, clock)
        finally:
            self.seconds_left -= time.monotonic() - began

    def _answer(self, token: str, clock: _Clock) -> tuple[dict[str, Any], bytes]:
        """The answer to the question with that token; before it, while loading, words of how far it has come."""
        self.at = -1
        while True:
            header, body = wire.read(self._receive(clock))
            if header.pop("token", None) != token:
                raise wire.WireError("an answer to another question")
            if header.get("answer") != "at":
                return header, body
            _expect(type(header.get("at")) is int and self.at < header["at"] < MAX_STATEMENTS and not body)
            self.at, clock.received = header["at"], 0

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

    def _excess(self) -> str:
        """What the worker has taken too much of, in words; "" for nothing. Looked at now and then, not enforced."""
        assert self.process is not None
        if self.process.threads() > self.limits.threads:
            return f"ran more than {self.limits.threads:g} threads at once and was stopped"
        files, size = 0, 0
        with suppress(OSError), os.scandir(self.scratch) as entries:
            for entry in entries:
                files, size = files + 1, size + entry.stat(follow_symlinks=False).st_size
                if files > MAX_SCRATCH_FILES or size > self.limits.scratch_mebibytes * 2**20:
                    limits = f"{self.limits.scratch_mebibytes:g} MiB or {MAX_SCRATCH_FILES} files"
                    return f"wrote more than {limits} and was stopped"
        return ""

    def _send(self, data: bytes, clock: _Clock) -> None:
        assert self.process is not None
        channel, view = self.process.channel, memoryview(data)
        channel.setblocking(False)
        while view:
            clock.wait_for(writable=channel)
            view = view[channel.send(view[: 1 << 20]) :]

    def _receive(self, clock: _Clock) -> wire.Recv:
        assert self.process is not None
        channel = self.process.channel

        def recv(size: int) -> bytes:
            data = bytearray()
            while len(data) < size:
                clock.wait_for(readable=channel)
                chunk = channel.recv(min(size - len(data), 1 << 20))
                if not chunk:
                    raise EOFError
                data += chunk
                clock.received += len(chunk)
            return bytes(data)

        return recv

    def _read(self, reader: Callable[[dict[str, Any], bytes], Any], header: dict[str, Any], body: bytes) -> Any:
        """Read an answer strictly: what is not to the letter ends the worker as forbidden."""
        try:
            return reader(header, body)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with an answer is the sender's doing
            self.close()
            ended = Ended("forbidden", f"broke the channel to the grader: {error}")
            return Loaded(ended=ended) if reader is _loaded else Response(ended)


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
        self.received = 0  # bytes
        self.cpu_end = process.cpu_seconds() + cpu
        self.wall_end = time.monotonic() + wall

    def wait_for(self, *, readable: socket.socket | None = None, writable: socket.socket | None = None) -> None:
        """Wait until a channel is ready. Raises _TimeIsUp or _TooMuch."""
        reading = [readable] if readable else []
        writing = [writable] if writable else []
        while True:
            ready = select.select(reading, writing, [], _LOOK_SECONDS)
            if self.process.cpu_seconds() > self.cpu_end:
                raise _TimeIsUp(f"ran for more than {self.cpu:g} s of processor time and was stopped")
            if time.monotonic() > self.wall_end:
                raise _TimeIsUp(f"ran for more than {self.wall:.3g} s by the clock and was stopped")
            if not (ready[0] or ready[1]) and (much := self.excess()):
                raise _TooMuch(much)
            if ready[0] or ready[1]:  # looked at last: a clock stops for nobody, however busily they talk
                return


def _hello(header: dict[str, Any]) -> Hello:
    return Hello("+".join(_texts(header, "isolation")), _text(header, "python"), _text(header, "numpy"))


def _loaded(header: dict[str, Any], body: bytes) -> Loaded:
    _expect(_text(header, "answer") == "loaded" and not body)
    problems = tuple((_text(problem, "module"), _raised(problem)) for problem in _get(header, "problems", list))
    _expect(len(problems) <= MAX_TEXTS)
    names, tried = _texts(header, "names", wire.MAX_VALUES), _texts(header, "tried")
    return Loaded(_get(header, "callable", bool), names, problems, _text(header, "output"), tried=tried)


def _response(header: dict[str, Any], body: bytes) -> Response:
    kind = _text(header, "answer")
    sent = _get(header, "arrays", list) if kind in ("array", "items") else []
    arrays = wire.arrays([*sent, *_get(header, "left", list)], body)
    results, left = arrays[: len(sent)], arrays[len(sent) :]
    _expect(kind != "array" or len(results) == 1)
    _expect(len(results) <= wire.MAX_ITEMS)
    answers: dict[str, Callable[[], Any]] = {
        "array": lambda: results[0],
        "items": lambda: Items(results),
        "other": lambda: Other(_text(header, "type")),
        "huge": lambda: Huge(_shape(header), _text(header, "dtype")),
        "raised": lambda: _raised(header),
    }
    _expect(kind in answers)
    return Response(answers[kind](), left, _text(header, "output"), _texts(header, "tried"))


def _raised(header: object) -> Raised:
    line = _get(header, "line", int)
    _expect(abs(line) < MAX_LINE)
    kinds, file = _texts(header, "kinds", wire.MAX_VALUES), _text(header, "file")
    return Raised(_text(header, "type"), kinds, _text(header, "message"), file, line)


def _shape(header: object) -> tuple[int, ...]:
    shape = _get(header, "shape", list)
    if len(shape) > MAX_DIMENSIONS or not all(type(size) is int and 0 <= size < 1 << 63 for size in shape):
        raise wire.WireError("a shape that is none")
    return tuple(shape)


def _text(header: object, name: str) -> str:
    """A text, cut to what a worker that keeps the rules sends at most."""
    return _get(header, name, str)[:MAX_TEXT]


def _texts(header: object, name: str, most: int = MAX_TEXTS) -> tuple[str, ...]:
    texts = _get(header, name, list)
    if len(texts) > most or not all(type(text) is str for text in texts):
        raise wire.WireError("a list of texts that is none")
    return tuple(text[:MAX_TEXT] for text in texts)


def _get(header: object, name: str, kind: type[T]) -> T:
    """What an object of an answer has under `name`, of that very type. Raises WireError."""
    value = header.get(name) if isinstance(header, dict) else None
    if type(value) is not kind:
        raise wire.WireError(f"an answer without its {name}")
    return value


def _expect(holds: bool) -> None:
    if not holds:
        raise wire.WireError("an answer of an unknown kind")


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
        return _response({**header, "left": [wire.describe(array) for array in left], "output": "", "tried": []}, body)
