"""Where notebooks hand in: the grader's program (`service.py`), started when it is first asked and kept warm."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from grader.errors import GraderError

_PROGRAM = "import sys; sys.path.append(sys.argv.pop()); from grader.service import main; main()"


class Desk:
    """One program, asked one thing at a time. What runs in the asking process never reaches the grader's memory."""

    def __init__(self) -> None:
        self.program: subprocess.Popen[bytes] | None = None
        self.owner = 0
        self.turn = threading.Lock()

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
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(line)
        program.stdin.flush()
        return program.stdout.readline()

    def _running(self) -> subprocess.Popen[bytes]:
        """The program; a new one where there is none, it has ended, or it is a parent process's."""
        if self.program is None or self.owner != os.getpid() or self.program.poll() is not None:
            self.close()
            self.program, self.owner = _start(), os.getpid()
            atexit.register(self.close)
        return self.program

    def close(self) -> None:
        """End the program."""
        if self.program is not None and self.owner == os.getpid():
            self.program.kill()
            for pipe in filter(None, (self.program.stdin, self.program.stdout)):
                with suppress(OSError):  # what was not sent yet never will be
                    pipe.close()
            self.program.wait()
        self.program = None


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
