"""A terminal taken over for a while: its screen, its keys as they are pressed, and both given back whatever happens."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from types import ModuleType, TracebackType
from typing import Any

from grader.render.characters import visible
from grader.render.lines import cells

OTHER_SCREEN, OWN_SCREEN = "\x1b[?1049h", "\x1b[?1049l"  # xterm's: what was there before comes back
HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
HOME, REST_OF_LINE, REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"
NO_SIZE = (80, 24)
NAMED_KEYS = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?"
)  # arrows, function keys, with Alt: none means anything here


def modes() -> ModuleType | None:
    """The module that sets a terminal's modes; None where the system has none."""
    try:
        import termios
    except ImportError:
        return None
    return termios


class Terminal:
    """The terminal in raw enough a mode: keys come at once and unseen, and Ctrl-C and Ctrl-Z do what they always do.

    `typed` gets every key. Where the system cannot give single keys, each has to be followed by Enter.
    """

    def __init__(self, typed: Callable[[str], None]) -> None:
        self.typed = typed
        self.modes = modes()
        self.before: list[Any] | None = None
        self.taken = 0  # how often; what was drawn before the last time is there no more

    @property
    def keys(self) -> str:
        """How keys are read: "keys", "lines", or "" for not at all."""
        if not sys.stdin.isatty():
            return ""
        return "keys" if self.modes else "lines"

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        try:
            columns, lines = os.get_terminal_size(sys.stdout.fileno())
        except (OSError, ValueError):
            return NO_SIZE
        return columns or NO_SIZE[0], lines or NO_SIZE[1]

    def __enter__(self) -> Terminal:
        self._take()
        if hasattr(signal, "SIGTSTP"):
            signal.signal(signal.SIGTSTP, self._pause)
        if self.keys:
            threading.Thread(target=self._read, name="keys", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if hasattr(signal, "SIGTSTP"):
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        self._give_back()

    def show(self, lines: Sequence[str]) -> None:
        """Draw a screenful in place of the last."""
        width = self.size[0]
        text = "\n".join(line + ("" if _fills(line, width) else REST_OF_LINE) for line in lines)
        self._write(HOME + text + ("" if _fills(lines[-1], width) else REST_OF_SCREEN))

    def _take(self) -> None:
        if self.keys == "keys" and self.modes:
            self.before = self.modes.tcgetattr(sys.stdin.fileno())
            ours = [*self.before[:3], self.before[3] & ~(self.modes.ICANON | self.modes.ECHO), *self.before[4:]]
            self.modes.tcsetattr(sys.stdin.fileno(), self.modes.TCSADRAIN, ours)
        self._write(OTHER_SCREEN + HIDE_CURSOR + HOME + REST_OF_SCREEN)
        self.taken += 1

    def _give_back(self) -> None:
        try:
            self._write(HOME + REST_OF_SCREEN + SHOW_CURSOR + OWN_SCREEN)
        finally:
            if self.before is not None and self.modes:
                self.modes.tcsetattr(sys.stdin.fileno(), self.modes.TCSADRAIN, self.before)
                self.before = None

    def _pause(self, *_: object) -> None:
        """Ctrl-Z: stop as any program does, with the terminal as it was, and take it again when it goes on."""
        self._give_back()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._pause)
        self._take()

    def _read(self) -> None:
        while data := os.read(sys.stdin.fileno(), 64):
            text = NAMED_KEYS.sub("", data.decode("utf-8", "replace"))
            for key in text if self.modes else text.strip()[:1] or " ":
                self.typed(key.lower())

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


def _fills(line: str, width: int) -> bool:
    """Whether it ends at the right edge, where erasing what comes after would erase its last character."""
    taken = cells(visible(line))
    return taken > 0 and taken % width == 0
