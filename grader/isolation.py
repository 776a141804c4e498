"""What isolation a worker has here, what of it is missing, and what a course makes of that.

The names are those of `receipt.isolation`; SECURITY.md says what each means on each system.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grader.course import Course, Limits
from grader.errors import GraderError
from grader.report import Ended, Raised, Response
from grader.worker.host import Job, Worker
from grader.worker.launch import Launcher
from grader.worker.received import Hello

MEANING = {
    "process": "a process, session, scratch folder and empty environment of its own; no open descriptor but one",
    "rlimits": "limits on memory, processor time, file size and open files",
    "landlock": "no file is read but Python's library and NumPy, none written but in the scratch folder; "
    "no signal to others",
    "seccomp": "no system call but those to compute with: no network, no other process, no change of others' files",
}
REMEDY = {
    "process": "Grade on Linux.",
    "rlimits": "Grade on Linux.",
    "landlock": "Landlock needs Linux 5.13 or newer with it switched on, and the package landlockpy.",
    "seccomp": "seccomp needs Linux on x86-64 or arm64, and the package seccompy.",
}
NOT_NEEDED = "not needed"  # what a receipt says where nothing was run


def observed(launcher: Launcher) -> Hello:
    """What a worker says of itself here, with no code loaded. Raises WorkerError."""
    with Worker(launcher, Job((), (), "nothing", "nothing"), Limits()) as worker:
        worker.load()
        return worker.hello


def missing(isolation: str) -> tuple[str, ...]:
    """The names that a receipt's isolation lacks, of those a course can require."""
    return tuple(name for name in MEANING if name not in isolation.split("+"))


def require(course: Course, launcher: Launcher) -> None:
    """Refuse, before any student code runs, where the course requires isolation that workers do not have here.

    Raises GraderError that names what is missing and the remedy, and WorkerError where no worker starts.
    """
    if course.isolation != "required" or not (lacking := missing(observed(launcher).isolation)):
        return
    raise GraderError(
        f"isolation is required, and workers here have no {_listed(lacking)}; nothing was graded",
        where=str(course.root / "course.yml"),
        remedy="\n  ".join([*remedies(lacking), "`grade verify --machine` tries what a worker can do here."]),
    )


def shortfall(course: Course, isolation: str) -> str:
    """One line for a student whose own run had less isolation than the course requires; "" where it had it all."""
    if course.isolation != "required" or isolation == NOT_NEEDED or not (lacking := missing(isolation)):
        return ""
    return (
        f"your code ran without {_listed(lacking)} here, which changes no points; "
        "where marks count, this course requires it"
    )


def remedies(lacking: tuple[str, ...]) -> list[str]:
    """What to do about each, said once."""
    return list(dict.fromkeys(REMEDY[name] for name in lacking))


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


# ── trying it ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that student code must not get done, and the name of what keeps it from that."""

    words: str
    kept_by: str


DEEDS = (
    Deed("read a file outside its scratch folder", "landlock"),
    Deed("write a file there", "landlock"),
    Deed("open a socket", "seccomp"),
    Deed("start another process", "seccomp"),
    Deed("send its parent a signal, as would kill it", "seccomp"),  # Landlock keeps it too, since Linux 6.12
)
# A submission that tries each of the deeds, and returns a number once it is done. The signal is one that nobody minds:
# who may send it may send any.
PROBE = """
import os, signal, socket

def read():
    with open(CANARY) as file:
        return int(file.read())

def write():
    with open(CANARY + ".written", "w"):
        return 1

def open_a_socket():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()
    return 1

def start_another():
    child = os.fork()
    if child == 0:
        os._exit(0)
    return os.waitpid(child, 0)[0]

def signal_its_parent():
    os.kill(os.getppid(), signal.SIGURG)
    return 1

DEEDS = [read, write, open_a_socket, start_another, signal_its_parent]

def attempt(number):
    return DEEDS[number]()
"""


def tried(launcher: Launcher) -> Iterator[tuple[Deed, str]]:
    """Each deed, tried by a probe in a worker: "held", "open", or how else it ended. Raises WorkerError."""
    with _canary() as (canary, secret), Worker(launcher, _probe(canary), Limits()) as worker:
        written = canary.with_name(canary.name + ".written")
        done: list[Callable[[int], bool]] = [lambda got: got == secret, lambda _: written.exists()]
        for number, deed in enumerate(DEEDS):
            response = worker.call([number], {})
            yield deed, _verdict(response, done[number] if number < len(done) else lambda got: got > 0)


@contextmanager
def _canary() -> Iterator[tuple[Path, int]]:
    """A file with a number that nobody can guess, in a folder that no worker has to do with."""
    secret = secrets.randbits(48)
    with tempfile.TemporaryDirectory(prefix="grade-canary-") as folder:
        canary = Path(folder) / "canary"
        canary.write_text(f"{secret}\n", encoding="ascii")
        yield canary, secret


def _probe(canary: Path) -> Job:
    text = f"CANARY = {str(canary)!r}\n{PROBE}"
    source = {"name": "probe", "file": "probe.py", "text": text, "statements": False, "problem": ""}
    return Job((source,), (), "probe", "attempt")


def _verdict(response: Response, done: Callable[[int], bool]) -> str:
    """Held is what was refused as not permitted, and nothing else: a probe that broke proves nothing."""
    answer = response.answer
    if isinstance(answer, Raised):
        refused = "PermissionError" in answer.kinds
        return "held" if refused else f"unclear ({answer.type_name}: {answer.message})"
    if isinstance(answer, np.ndarray) and answer.shape == () and done(int(answer)):
        return "open"
    return f"unclear ({answer.detail if isinstance(answer, Ended) else 'another answer than was asked for'})"
