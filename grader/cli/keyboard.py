"""A terminal taken over for a while: its screen, its keys as they are pressed, and both given back whatever happens."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from types import ModuleType, TracebackType
from typing import Any

from grader.cli.signals import handle, handled
from grader.render.characters import visible
from grader.render.lines import cells

OTHER_SCREEN, OWN_SCREEN = "\x1b[?1049h", "\x1b[?1049l"  # xterm's: what was there before comes back
HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
HOME, REST_OF_LINE, REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"
NO_SIZE = (80, 24)
NAMED_KEYS = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?"
)  # arrows, function keys, with Alt: none means anything here
QUIT = "q"
BACKGROUND_SECONDS = 0.1  # between two looks whether the terminal is ours again
ASKING = ("SIGINT", "SIGTERM", "SIGHUP")  # to come to an end
ENDING = ("SIGQUIT", "SIGABRT", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGXCPU", "SIGVTALRM", "SIGPROF")  # at once


def modes() -> ModuleType | None:
    """The module that sets a terminal's modes; None where the system has none."""
    try:
        import termios
    except ImportError:
        return None
    return termios


def asked_to_end(tell: Callable[[int], None]) -> None:
    """From now on, whoever asks the program to end is not obeyed at once: `tell` gets the signal's number.

    It stays so until the program has ended: what a handler raises it raises anywhere, in what gives the terminal back
    and clears up too.
    """
    handle(ASKING, lambda number, _: tell(number))


class Terminal:
    """The terminal in raw enough a mode: keys come at once and unseen, and Ctrl-C and Ctrl-Z do what they always do.

    `typed` gets every key, QUIT where the terminal is gone, and "" where it is to be drawn on again. Where the system
    cannot give single keys, each has to be followed by Enter.
    """

    def __init__(self, typed: Callable[[str], None]) -> None:
        self.typed = typed
        self.modes = modes()
        self.before: list[Any] | None = None
        self.held = False
        self.fresh = False  # nothing else had it since it was taken
        self.taken = 0  # how often; what was drawn before the last time is there no more
        self.handlers = ExitStack()
        self.busy = False  # with the terminal; signals that would meddle are put off
        self.put_off: list[int] = []
        self.parting: str | None = None  # what was written after it was given back for good

    @property
    def keys(self) -> str:
        """How keys are read: "keys", "lines", or "" for not at all."""
        if sys.stdin is None or not sys.stdin.isatty():
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
        for names, handler in ((ENDING, self._end), (["SIGTSTP"], self._pause), (["SIGCONT"], self._go_on)):
            self.handlers.enter_context(handled(names, handler))
        self.hold()
        if self.keys:
            threading.Thread(target=self._read, name="keys", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._give_back(parting="")
        self.handlers.close()

    def part(self, words: str) -> None:
        """Write the last words, once it is given back, where they can be read."""
        with self._undisturbed():
            if self._is_ours():
                self.parting = words
                self._write(words)

    def hold(self) -> bool:
        """Take the terminal unless it is taken; False where another program has it, as after Ctrl-Z and `bg`."""
        if not self._is_ours():
            return False
        if not (self.held and self.fresh):
            self._take()
        return True

    def show(self, lines: Sequence[str]) -> None:
        """Draw a screenful in place of the last."""
        width = self.size[0]
        text = "\n".join(line + ("" if _fills(line, width) else REST_OF_LINE) for line in lines)
        with self._undisturbed():
            self._write(HOME + text + ("" if _fills(lines[-1], width) else REST_OF_SCREEN))

    # ── taking it and giving it back ───────────────────────────────────────────────────────────────

    def _take(self) -> None:
        with self._undisturbed():
            if self.modes and self.keys:
                self.before = self.before or self.modes.tcgetattr(sys.stdin.fileno())
                local = self.before[3] & ~(self.modes.ICANON | self.modes.ECHO)
                local |= self.modes.NOFLSH  # or a second Ctrl-C throws away what gives the screen back
                ours = [*self.before[:3], local, *self.before[4:]]
                self.modes.tcsetattr(sys.stdin.fileno(), self.modes.TCSADRAIN, ours)
            self.held = self.fresh = True
            self._write(OTHER_SCREEN + HIDE_CURSOR + HOME + REST_OF_SCREEN)
            self.taken += 1

    def _give_back(self, parting: str | None = None) -> None:
        with self._undisturbed():
            if self.held and self._is_ours():
                self._write(HOME + REST_OF_SCREEN + SHOW_CURSOR + OWN_SCREEN)
                self.parting = parting
                if self.modes and self.before:
                    with suppress(self.modes.error):  # it is gone
                        self.modes.tcsetattr(sys.stdin.fileno(), self.modes.TCSADRAIN, self.before)
            self.held, self.before = False, None

    def give_back_again(self) -> None:
        """After a Ctrl-C that came late: what a terminal has not read by then, the system throws away.

        Made for a signal's handler: it writes past what may be half-way through writing.
        """
        if self.parting is not None and not self._put_off(signal.SIGINT) and self._is_ours():
            with suppress(OSError):  # it is gone
                os.write(sys.stdout.fileno(), (SHOW_CURSOR + OWN_SCREEN + self.parting).encode())

    def _is_ours(self) -> bool:
        """Whether no other program of the shell's has the terminal now."""
        try:
            return os.tcgetpgrp(sys.stdout.fileno()) == os.getpgrp()
        except (AttributeError, OSError):  # a system without such, or a terminal that is no shell's
            return True

    def _write(self, text: str) -> None:
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError:  # it is gone
            self.typed(QUIT)

    # ── signals ────────────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def _undisturbed(self) -> Iterator[None]:
        """Put signals off whose handlers would take the terminal, or give it back, half way through."""
        self.busy = True
        try:
            yield
        finally:
            self.busy = False
            while self.put_off:
                os.kill(os.getpid(), self.put_off.pop(0))

    def _end(self, number: int, _: object) -> None:
        """End as any program does that is sent this, with the terminal as it was."""
        if self._put_off(number):
            return
        self._give_back()
        _obey(number)

    def _pause(self, number: int, _: object) -> None:
        """Ctrl-Z: stop as any program does, with the terminal as it was."""
        if self._put_off(number):
            return
        self._give_back()
        _obey(number)
        signal.signal(number, self._pause)

    def _go_on(self, *_: object) -> None:
        """Whatever had the terminal meanwhile left it as it liked: it is to be taken again."""
        self.fresh = False
        self.typed("")

    def _put_off(self, number: int) -> bool:
        if self.busy:
            self.put_off.append(number)
        return self.busy

    # ── keys ───────────────────────────────────────────────────────────────────────────────────────

    def _read(self) -> None:
        while data := self._typed():
            text = NAMED_KEYS.sub("", data.decode("utf-8", "replace"))
            for key in text if self.modes else text.strip()[:1] or " ":
                self.typed(key.lower())
        self.typed(QUIT)

    def _typed(self) -> bytes:
        """What is typed next; nothing where the terminal is gone. Who reads from one that is not his is stopped."""
        number = sys.stdin.fileno()
        try:
            while self.modes and select.select([number], [], []) and not self._is_ours():
                time.sleep(BACKGROUND_SECONDS)
            return os.read(number, 64)
        except OSError:
            return b""


def _obey(number: int) -> None:
    """Do with a signal what the system does."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _fills(line: str, width: int) -> bool:
    """Whether it ends at the right edge, where erasing what comes after would erase its last character."""
    taken = cells(visible(line))
    return taken > 0 and taken % width == 0
