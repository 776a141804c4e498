"""What student code is seen to try, by Python's own audit events: the network, another process, files of others'.

Seeing is not stopping: the kernel does that (`files.py`, `calls.py`). Nobody's marks depend on it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
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
    "os.listdir",
    "os.scandir",
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


class Witness:
    """Remembers what was tried; `own` are the folders and files that are nobody else's."""

    def __init__(self, own: list[str]) -> None:
        # Its own, and where an import, or what asks for a package's version, looks around.
        self.own = {*own, *sys.path}
        self.inside = tuple(path + os.sep for path in own)
        self.tried: list[str] = []
        self.here = str(Path.cwd())
        self.me = os.getpid()

    def watch(self) -> None:
        """Look on from here to the end of the process: a hook cannot be taken off again."""
        sys.addaudithook(self._see)

    def take(self) -> list[str]:
        """What was tried since the last call."""
        tried, self.tried = self.tried, []
        return tried

    def _see(self, event: str, args: tuple[Any, ...]) -> None:
        what = self._word(event, args)
        if what and what not in self.tried and len(self.tried) < MOST_KEPT:
            self.tried.append(what[:CHARACTERS])

    def _word(self, event: str, args: tuple[Any, ...]) -> str:
        if event in NETWORK:
            return "the network"
        if event in PROCESS or (event == "os.kill" and args[0] != self.me):
            return "another process"
        if event in FILES and isinstance(args[0], (str, bytes)):
            path = os.path.normpath(os.path.join(self.here, os.fsdecode(args[0])))  # noqa: PTH118 - of text, fast
            return "" if path in self.own or path.startswith(self.inside) else f"the file {path}"
        return ""
