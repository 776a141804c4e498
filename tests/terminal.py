"""A terminal to test in: a program on a pseudo-terminal, and the screen that an emulator makes of what it writes."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pyte


class Emulated:
    """A program in a terminal of so many columns and lines. What scrolls off its screen is kept in `scrolled`."""

    def __init__(self, command: Sequence[str], cwd: Path, *, columns: int = 80, lines: int = 24, **env: str) -> None:
        self.screen = pyte.HistoryScreen(columns, lines, history=1000)
        self.stream = pyte.ByteStream(self.screen)
        self.written = b""
        self.ours, theirs = pty.openpty()
        self.theirs = theirs
        self.resize(columns, lines)
        self.before = termios.tcgetattr(theirs)
        kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.program = subprocess.Popen(
            command,
            cwd=cwd,
            env={**kept, "TERM": "xterm-256color", **env},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            preexec_fn=_own_terminal,
        )

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.resize(lines, columns)

    def type(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    @property
    def text(self) -> str:
        """The screen's lines, without the spaces at their ends."""
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip()

    @property
    def scrolled(self) -> int:
        return len(self.screen.history.top)

    def read(self, seconds: float = 0.05) -> None:
        """Take in what the program wrote, for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and select.select([self.ours], [], [], left)[0]:
            try:
                data = os.read(self.ours, 65536)
            except OSError:  # it ended, and with it its terminal
                return
            self.written += data
            self.stream.feed(data)

    def until(self, shown: str | Callable[[str], bool], seconds: float = 30) -> str:
        """The screen once it shows that; AssertionError where it never does."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read()
            if shown in self.text if isinstance(shown, str) else shown(self.text):
                self._until_quiet()
                return self.text
        raise AssertionError(f"never on the screen: {shown!r}\n{self.text}")

    def _until_quiet(self) -> None:
        """Take in the rest of what is being drawn."""
        before = -1
        while before != len(self.written):
            before = len(self.written)
            self.read(0.05)

    def end(self, seconds: float = 20) -> int:
        """The exit status, once the program has ended."""
        end = time.monotonic() + seconds
        while self.program.poll() is None and time.monotonic() < end:
            self.read()
        self.read(0.2)
        return self.program.wait(1)

    @property
    def given_back(self) -> bool:
        """Whether the terminal is in the mode it was in at the start."""
        return termios.tcgetattr(self.theirs) == self.before

    def close(self) -> None:
        if self.program.poll() is None:
            os.killpg(self.program.pid, signal.SIGKILL)
        self.program.wait()
        os.close(self.ours)
        os.close(self.theirs)


def _own_terminal() -> None:
    """In the child: a session of its own, whose terminal is standard input."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
