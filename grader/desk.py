"""Where notebooks and batches hand in: the grader's program (`service.py`), started when first asked and kept warm."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from grader.errors import GraderError

SEED_FILE_VARIABLE = "GRADE_SEED_FILE"  # names the file that holds it; nbgrader's configuration sets it
CLOSE_SECONDS = 2  # to clear away; then it is killed
_PROGRAM = "import sys; sys.path.append(sys.argv.pop()); from grader.service import main; main()"


@dataclass(frozen=True, slots=True)
class Terms:
    """What is graded with: a course's folder, "" for the installed one; a seed, or the file that keeps a secret one.

    Of a `secret` seed reports show the digest. Where marks `count` the isolation that a course requires is required.
    Of a record's exercises there are `maps` where they are asked for, and what `cells` of a notebook show of them.
    """

    course: str = ""
    seed: int = field(default=0, repr=False)  # which no log may show
    seed_file: str = ""
    secret: bool = False
    counts: bool = False
    maps: bool = False
    cells: bool = False


def terms_here() -> Terms:
    """The terms of notebooks: what `nbgrader_config.py` and people set in the environment."""
    file = os.environ.get(SEED_FILE_VARIABLE, "")
    return Terms(os.environ.get("GRADE_COURSE", ""), seed_file=file, secret=bool(file), counts=bool(file), maps=True)


class Desk:
    """One program, asked one thing at a time. What runs in the asking process never reaches the grader's memory."""

    def __init__(self, terms: Terms | None = None) -> None:
        self.terms = terms
        self.program: subprocess.Popen[bytes] | None = None
        self.owner = 0
        self.turn = threading.Lock()
        self.retired = False

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """One answer to one request. Raises GraderError where the grader cannot give one."""
        with self.turn:
            try:
                reply: dict[str, Any] = json.loads(self._answer(json.dumps(request).encode() + b"\n"))
            except (OSError, ValueError) as error:  # it could not be started, or ended without a word
                self.close()
                raise GraderError("the grader's own program failed", remedy="`grade verify` says why.") from error
            except BaseException:  # interrupted: whatever is on its way belongs to no later question
                self.close()
                raise
        if "error" in reply:
            raise GraderError(reply["error"])
        return reply

    def _answer(self, line: bytes) -> bytes:
        program = self._running()
        self._send(line)
        assert program.stdout is not None
        return program.stdout.readline()

    def _send(self, line: bytes) -> None:
        assert self.program is not None
        assert self.program.stdin is not None
        self.program.stdin.write(line)
        self.program.stdin.flush()

    def _running(self) -> subprocess.Popen[bytes]:
        """The program, told its terms; a new one where there is none, it has ended, or it is a parent process's."""
        if self.program is None or self.owner != os.getpid() or self.program.poll() is not None:
            self.close()
            self.program, self.owner = _start(), os.getpid()
            atexit.register(self.close)
            self._send(json.dumps(asdict(self.terms or terms_here())).encode() + b"\n")
        if self.retired:  # looked at once there is a program: who retires a desk ends the one that is there then
            raise BrokenPipeError
        return self.program

    def close(self) -> None:
        """End the program; told to, it clears away after itself."""
        program, self.program = self.program, None
        if program is None or self.owner != os.getpid():
            return
        program.terminate()
        try:
            program.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()
        for pipe in filter(None, (program.stdin, program.stdout)):
            with suppress(OSError):  # what was not sent yet never will be
                pipe.close()

    def retire(self) -> None:
        """End the program for good, also while another thread waits for its answer: there will be no other."""
        self.retired = True
        self.close()


def _here() -> str:
    """The folder this runs in; the root where that is gone."""
    try:
        return str(Path.cwd())
    except OSError:
        return os.sep


def _start() -> subprocess.Popen[bytes]:
    """A fresh interpreter, in a session of its own: an interrupt of the kernel is none of the grader's."""
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _PROGRAM, str(Path(__file__).parents[1])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=_here(),
        stderr=subprocess.DEVNULL,  # a word on the kernel's standard error costs a cell all its points
        start_new_session=True,
    )
