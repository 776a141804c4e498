"""What student code is seen to try, by Python's own audit events: the network, another process, files of others'.

A look is none of these: to list a folder, or to ask for a file that is not there. Nor is what Python's library does on
its own account while it serves an honest call (`LOOKS_AROUND`).

Seeing is not stopping: the kernel does that (`files.py`, `calls.py`). Nobody's marks depend on it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import PurePath
from types import FrameType
from typing import Any

MOST_KEPT = 5
CHARACTERS = 160
NETWORK = [
    "socket.__new__",
    "socket.bind",
    "socket.connect",
    "socket.sendto",
    "socket.sendmsg",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "socket.gethostbyaddr",
]
PROCESS = (
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "pty.spawn",
)
FILES = [
    "open",
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
    "os.truncate",
    "os.link",
    "os.symlink",
    "os.chmod",
    "os.chown",
    "os.utime",
]
BETWEEN = ("os.rename", "os.link", "os.symlink")  # have two paths
# Modules and functions that start a program, make a socket or read a setting to answer a question that asked for none.
LOOKS_AROUND = {
    "platform",
    "ctypes.util",
    "uuid",
    "getpass",
    "pdb",
    "_osx_support",
    "socket.socketpair",
    "numpy.testing._private.utils.check_support_sve",
}


class Library:
    """The folders and files that student code may read."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = frozenset(paths)
        self.inside = tuple(path + os.sep for path in self.paths)


class Witness:
    """Remembers what was tried; `library` and `scratch` are the folders and files that are nobody else's.

    The library is long, and the same for all workers: their parent makes a set and a tuple of it once.
    """

    def __init__(self, library: Library, scratch: str) -> None:
        here = os.getcwd()  # noqa: PTH109 - where the scratch folder is when no link leads to it
        self.library = library
        self.own = (scratch, here)
        self.inside = (scratch + os.sep, here + os.sep)
        self.tried: list[str] = []
        self.me = os.getpid()

    def watch(self) -> None:
        """Look on from here to the end of the process: a hook cannot be taken off again."""
        sys.addaudithook(self._see)

    def take(self) -> list[str]:
        """What was tried since the last call."""
        tried, self.tried = self.tried, []
        return tried

    def _see(self, event: str, args: tuple[Any, ...]) -> None:
        what = self._word(event, args)[:CHARACTERS]
        if what and what not in self.tried and len(self.tried) < MOST_KEPT and not _looks_around():
            self.tried.append(what)

    def _owns(self, path: str) -> bool:
        if path in self.own or path in self.library.paths:
            return True
        return any(map(path.startswith, (self.inside, self.library.inside)))

    def _word(self, event: str, args: tuple[Any, ...]) -> str:
        if event in NETWORK:
            return "the network"
        if event in PROCESS or (event == "os.kill" and args[0] != self.me):
            return "another process"
        if event in FILES:
            paths = map(_absolute, args[: 2 if event in BETWEEN else 1])
            others = [path for path in paths if path and not self._owns(path)]
            looked = event == "open" and not args[2] & os.O_CREAT and not all(map(_is_file, others))
            return f"the file {others[0]}" if others and not looked else ""
        return ""


def _absolute(path: object) -> str:
    """A path from the root on; "" for what is none, such as the number of a file that is open."""
    if not isinstance(path, (str, bytes, PurePath)):
        return ""
    return os.path.normpath(os.path.join(_here(), os.fsdecode(path)))  # noqa: PTH118 - of text, fast


def _here() -> str:
    """The folder that student code is in by now; the root where it was removed."""
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return os.sep


def _is_file(path: str) -> bool:
    return os.path.exists(path) and not os.path.isdir(path)  # noqa: PTH110, PTH112


def _looks_around() -> bool:
    """Whether the event came about inside one of those."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - there is no public one
    while frame is not None:
        module = str(frame.f_globals.get("__name__"))
        if module in LOOKS_AROUND or f"{module}.{frame.f_code.co_name}" in LOOKS_AROUND:
            return True
        frame = frame.f_back
    return False
