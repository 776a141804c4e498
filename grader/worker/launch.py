"""Where workers come from. Imports no NumPy, so that a warm parent is on its way before the grader itself is.

On Linux `Warm` is a program of its own that holds NumPy and is forked once a worker. Elsewhere `Fresh` starts an
interpreter for each.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from grader.errors import WorkerError
from grader.worker.scratch import remove

# What modules would have done after a fork, to locks and dice, takes a quarter of its time: here one thread forks, and
# a worker's dice are cast when it loads.
_HERE = """
import os, sys
sys.path[:0], register, os.register_at_fork = sys.argv[4:], os.register_at_fork, lambda **_: None
from grader.worker.child import main
os.register_at_fork = register
main()
"""
_NEEDED = ("numpy", "landlockpy", "seccompy")  # the last two are there on Linux alone
START_SECONDS = 60  # a worker that says nothing for so long was never going to start


class Process(Protocol):
    """A worker's process, as far as its host needs to know it."""

    channel: socket.socket

    def cpu_seconds(self) -> float:
        """Processor time used so far."""

    def threads(self) -> int:
        """How many there are now; 0 where that is not known."""

    def end(self, patience: float = 0.0) -> str:
        """Kill the process and all it started, after `patience` seconds to end by itself; in words how it ended."""


class Launcher(Protocol):
    """Where workers come from. `scratch` is the folder in which each has its scratch folder."""

    scratch: str

    def launch(self, bounds: dict[str, Any]) -> Process:
        """Start one worker. Raises WorkerError."""

    def close(self) -> None:
        """Let go of whatever stands ready."""


def _folder() -> str:
    """A new folder for scratch folders. Raises WorkerError."""
    try:
        return tempfile.mkdtemp(prefix="grade-")
    except OSError as error:
        raise WorkerError(f"no scratch folder could be made: {error}", remedy="Free the temporary folder.") from error


# ── launchers ──────────────────────────────────────────────────────────────────────────────────────


def make_launcher() -> Launcher:
    """The fastest launcher this system has; it begins to warm up at once."""
    return Warm() if sys.platform == "linux" else Fresh()


def _command(mode: str, descriptor: int, scratch: str) -> list[str]:
    """The worker as its own program, with no site-packages beyond the folders of what it needs on its path."""
    origins = {name: spec.origin for name in _NEEDED if (spec := find_spec(name)) is not None and spec.origin}
    if "numpy" not in origins:
        raise WorkerError("NumPy is not installed here", remedy="Install it beside the grader: pip install numpy")
    folders = dict.fromkeys(
        [str(Path(__file__).parents[2]), *(str(Path(each).parents[1]) for each in origins.values())]
    )
    return [sys.executable, "-s", "-S", "-P", "-B", "-c", _HERE, mode, str(descriptor), scratch, *folders]


def _environment() -> dict[str, str]:
    """Nothing of the user's. One BLAS thread a worker; what BLAS needs to know of this processor stays."""
    blas = {name: value for name, value in os.environ.items() if name.startswith("OPENBLAS_")}
    needed = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    return {
        **needed,
        **blas,
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "1",
        "PYTHONHASHSEED": "0",
    }


def _spawn(mode: str, scratch: str) -> tuple[subprocess.Popen[bytes], socket.socket]:
    _keep_standard_descriptors()
    ours, theirs = socket.socketpair()
    with theirs:
        program = subprocess.Popen(
            _command(mode, theirs.fileno(), scratch),
            pass_fds=[theirs.fileno()],
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    return program, ours


def _keep_standard_descriptors() -> None:
    """Where standard input, output or error are closed, a socket would take their number and be lost."""
    descriptor = os.open(os.devnull, os.O_RDWR)
    while descriptor <= 2:
        descriptor = os.open(os.devnull, os.O_RDWR)
    os.close(descriptor)


class Warm:
    """A warm parent that is forked once a worker; started again should it ever be gone."""

    def __init__(self) -> None:
        self.scratch = _folder()
        self.program, self.control = _spawn("warm", self.scratch)

    def launch(self, bounds: dict[str, Any]) -> Process:
        """Fork one worker. Raises WorkerError where even a new warm parent cannot."""
        try:
            return self._fork(bounds)
        except OSError:
            self._end()
            self.program, self.control = _spawn("warm", self.scratch)
        try:
            return self._fork(bounds)
        except OSError as error:
            raise WorkerError("no worker could be started", remedy="Run `grade verify` to see why.") from error

    def _fork(self, bounds: dict[str, Any]) -> Process:
        control = self.control  # of the one who forks: a later warm parent knows nothing of this worker
        ours, theirs = socket.socketpair()
        try:
            pid = _ask(control, bounds, [theirs.fileno()])
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        return Forked(pid, ours, lambda: _ask(control, {"wait": pid}, []))

    def close(self) -> None:
        """End the warm parent and remove the scratch folders; its workers are ended by those who launched them."""
        self._end()
        remove(self.scratch)

    def _end(self) -> None:
        self.program.kill()  # first: to a warm parent the channel's end says that the grader is gone, so it clears away
        self.program.wait()
        self.control.close()


def _ask(control: socket.socket, request: dict[str, Any], descriptors: list[int]) -> int:
    """One request to a warm parent, one whole number back. Raises OSError where it is gone."""
    control.settimeout(START_SECONDS)
    socket.send_fds(control, [json.dumps(request).encode()], descriptors)
    reply = control.recv(64)
    if not reply:
        raise OSError("the warm parent is gone")
    return int(json.loads(reply))


class Forked:
    """A worker forked from the warm parent, held by a process descriptor so that no other is ever hit."""

    def __init__(self, pid: int, channel: socket.socket, wait: Callable[[], int]) -> None:
        self.pid = pid
        self.channel = channel
        self.wait = wait
        self.descriptor = os.pidfd_open(pid)
        self.clock = (~pid << 3) | 2  # clock_getcpuclockid(3): the processor time of that process

    def cpu_seconds(self) -> float:
        """Processor time used so far; 0 where the process is already gone."""
        try:
            return time.clock_gettime(self.clock)
        except OSError:
            return 0.0

    def threads(self) -> int:
        """How many there are now."""
        try:
            return len(os.listdir(f"/proc/{self.pid}/task"))  # noqa: PTH208 - counted, not opened
        except OSError:
            return 0

    def end(self, patience: float = 0.0) -> str:
        """Kill the worker and its process group, and say how it ended."""
        ended = bool(select.select([self.descriptor], [], [], patience)[0])
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.descriptor, signal.SIGKILL)
        self.channel.close()
        os.close(self.descriptor)
        try:
            status = os.waitstatus_to_exitcode(self.wait())  # always: a worker that is not waited for stays a zombie
        except OSError:
            return "was stopped"
        return _in_words(status) if ended else "was stopped"


def memory(process: Process) -> tuple[int, int]:
    """Bytes a process holds now, and the most it held at once so far (proc(5)); zeros where that is not known."""
    if not isinstance(process, Forked):
        return 0, 0
    try:
        lines = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0, 0
    kibibytes = {line.split()[0]: int(line.split()[1]) for line in lines if line.endswith(" kB")}
    return kibibytes.get("VmRSS:", 0) << 10, kibibytes.get("VmHWM:", 0) << 10


class Fresh:
    """An interpreter started for each worker, where there is no fork to rely on."""

    def __init__(self) -> None:
        self.scratch = _folder()

    def launch(self, bounds: dict[str, Any]) -> Process:
        """Start one worker. Raises WorkerError."""
        try:
            program, channel = _spawn("single", self.scratch)
            channel.sendall(json.dumps(bounds).encode())
        except OSError as error:
            remedy = "Run `grade verify` to see why."
            raise WorkerError(f"no worker could be started: {error}", remedy=remedy) from error
        return Started(program, channel)

    def close(self) -> None:
        """Remove the scratch folders; nothing else stands ready."""
        remove(self.scratch)


class Started:
    """A worker with an interpreter of its own. Its processor time is bounded by its rlimits, its clock by us."""

    def __init__(self, program: subprocess.Popen[bytes], channel: socket.socket) -> None:
        self.program = program
        self.channel = channel

    def cpu_seconds(self) -> float:
        """Not known from outside on every system: the limit by the clock serves."""
        return 0.0

    def threads(self) -> int:
        """Not known from outside on every system."""
        return 0

    def end(self, patience: float = 0.0) -> str:
        """Kill the worker and its process group, and say how it ended."""
        self.channel.close()
        words = "was stopped"
        with suppress(subprocess.TimeoutExpired):
            words = _in_words(self.program.wait(patience))
        if hasattr(os, "killpg"):  # also what it left running
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.program.pid, signal.SIGKILL)
        self.program.kill()
        self.program.wait()
        return words


def _in_words(status: int) -> str:
    if status >= 0:
        return f"ended its process (exit status {status})"
    try:
        return f"ended its process ({signal.Signals(-status).name})"
    except ValueError:
        return f"ended its process (signal {-status})"
