"""A workspace's memory, `.grade/`: small text files, versioned, each written whole or not at all.

This is their one writer. A file that cannot be read is set aside under another name, never overwritten. A workspace may
come from a stranger: nothing is read or written through a link in it, and no more is read than a bounded size.
"""

from __future__ import annotations

import errno
import json
import math
import os
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

from grader.bounds import MEBIBYTE, read_at_most
from grader.errors import UsageError

FOLDER = ".grade"
MAX_MEMORY_BYTES = 16 * MEBIBYTE  # of one file; twenty answers a day take it in about thirty years
MOST_TIMES = 1_000_000_000  # that anything is counted
MOST_POINTS = 1e12  # of an exercise; sums of them are exact enough to show
YEARS = range(1970, 3000)  # no clock is outside of them, and every system shows their times in every zone
Content = TypeVar("Content")


@dataclass(frozen=True, slots=True)
class Memory(Generic[Content]):
    """One file of `.grade/`: how its content is read and written, and what is `lost` to sight if it is set aside.

    `parse` raises ValueError, TypeError, AttributeError or KeyError for what it does not understand.
    """

    name: str
    version: int
    empty: Callable[[], Content]
    parse: Callable[[Any], Content]
    dump: Callable[[Content], Mapping[str, Any]]
    lost: str

    @property
    def file(self) -> str:
        """What it is called in `.grade/`."""
        return f"{self.name}.json"

    def load(self, workspace: Path) -> tuple[Content, str]:
        """What is remembered, and a note where a damaged or newer file had to be set aside. Raises UsageError."""
        if not os.path.lexists(workspace / FOLDER):
            return self.empty(), ""
        with _opened(workspace) as folder:
            return self._read(folder)

    def save(self, workspace: Path, content: Content) -> None:
        """Write it. Raises UsageError where the workspace cannot be written."""
        with _opened(workspace, make=True) as folder:
            self._write(folder, content)

    def update(self, workspace: Path, change: Callable[[Content], bool]) -> tuple[Content, str]:
        """Read, change, and write where `change` says that it changed anything; what `load` gives. Raises UsageError.

        Two commands at work in one workspace wait for one another, so neither loses what the other wrote.
        """
        with _opened(workspace, make=True) as folder:
            folder.lock()
            content, note = self._read(folder)
            if change(content):
                self._write(folder, content)
            return content, note

    def _read(self, folder: _Folder) -> tuple[Content, str]:
        try:
            text = folder.read(self.file, MAX_MEMORY_BYTES).decode("utf-8")
            return self.parse(_of_version(json.loads(text), self.version)), ""
        except FileNotFoundError:
            return self.empty(), ""
        except _Newer:
            why = "was written by a newer version of this program"
        except (ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError):
            why = "could not be read"
        aside = folder.set_aside(self.file)
        return self.empty(), f"{folder.path / self.file} {why} and was set aside as {aside}; {self.lost}."

    def _write(self, folder: _Folder, content: Content) -> None:
        text = json.dumps({"version": self.version, **self.dump(content)}, indent=1) + "\n"
        with suppress(FileExistsError):
            folder.make(".gitignore", "*\n")
        folder.replace(self.file, text)


# ── the folder ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Folder:
    """`.grade/`, opened: its files lie in it, whatever is put in its place meanwhile. Methods raise OSError.

    Without a `descriptor`, where a system opens no folders, they are found by their path.
    """

    path: Path
    descriptor: int | None

    def lock(self) -> None:
        """Be alone among the commands that change this folder, where the system and its disk have locks."""
        if self.descriptor is None:
            return
        import fcntl

        with suppress(OSError):  # a network disk without locks
            fcntl.flock(self.descriptor, fcntl.LOCK_EX)

    def read(self, name: str, limit: int) -> bytes:
        """The bytes of a file. Raises ValueError for a link, a pipe, a device, and for more bytes than `limit`."""
        if not stat.S_ISREG(os.stat(self._at(name), dir_fd=self.descriptor, follow_symlinks=False).st_mode):
            raise ValueError("no regular file")
        with os.fdopen(self._open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            data = read_at_most(file, limit + 1) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else b""
        if len(data) > limit:
            raise ValueError("too large")
        return data

    def make(self, name: str, text: str) -> None:
        """Write a new file, whole or not at all. Raises FileExistsError where anything has that name, also a link."""
        descriptor = self._open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
        except BaseException:
            self._remove(name)
            raise

    def replace(self, name: str, text: str) -> None:
        """Write a file in the place of what has that name, whole or not at all."""
        unfinished = f"{name}.{secrets.token_hex(8)}.part"
        self.make(unfinished, text)
        try:
            self._move(unfinished, name)
        except BaseException:
            self._remove(unfinished)
            raise

    def set_aside(self, name: str) -> str:
        """Give a file, or whatever it is, a name that nothing has: that name."""
        stem, number = name.removesuffix(".json"), 1
        while self._is_there(aside := f"{stem}.damaged-{number}.json"):
            number += 1
        self._move(name, aside)
        return aside

    def _open(self, name: str, flags: int) -> int:
        flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        return os.open(self._at(name), flags, 0o666, dir_fd=self.descriptor)

    def _move(self, name: str, to: str) -> None:
        os.replace(self._at(name), self._at(to), src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def _remove(self, name: str) -> None:
        with suppress(OSError):
            os.unlink(self._at(name), dir_fd=self.descriptor)

    def _is_there(self, name: str) -> bool:
        with suppress(FileNotFoundError):
            os.stat(self._at(name), dir_fd=self.descriptor, follow_symlinks=False)
            return True
        return False

    def _at(self, name: str) -> Path | str:
        return self.path / name if self.descriptor is None else name


@contextmanager
def _opened(workspace: Path, *, make: bool = False) -> Iterator[_Folder]:
    """The workspace's folder, made where that is wanted. Raises UsageError for what goes wrong while it is open."""
    path = workspace / FOLDER
    try:
        if make:
            with suppress(FileExistsError):
                path.mkdir()
        descriptor = _descriptor(path)
        try:
            yield _Folder(path, descriptor)
        finally:
            if descriptor is not None:
                os.close(descriptor)
    except OSError as error:
        remedy = "Make the workspace writable; nothing else was lost."
        if error.errno in (errno.ENOTDIR, errno.ELOOP):
            remedy = "Only a folder of the workspace's own is written to: move this away, and the next run makes one."
        raise UsageError(f"cannot remember: {error.strerror}", where=str(path), remedy=remedy) from error


def _descriptor(path: Path) -> int | None:
    """An open folder, None where the system opens none. Raises OSError for a link to one, and for a file."""
    found = path.lstat()
    junction = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)  # what Windows calls a folder and is a link
    if not stat.S_ISDIR(found.st_mode) or getattr(found, "st_reparse_tag", 0) == junction:
        kind = "a link" if stat.S_ISLNK(found.st_mode) or stat.S_ISDIR(found.st_mode) else "a file"
        raise NotADirectoryError(errno.ENOTDIR, f"this is {kind}, not a folder")
    if os.open not in os.supports_dir_fd:
        return None
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


# ── what a file may say ────────────────────────────────────────────────────────────────────────────


class _Newer(Exception):
    """A later version of the grader wrote this."""


def _of_version(data: Any, version: int) -> Any:
    if int(data["version"]) > version:
        raise _Newer
    if data["version"] != version:
        raise ValueError("another version")
    return data


def word(value: Any) -> str:
    """A text that was written down. Raises ValueError."""
    if not isinstance(value, str):
        raise ValueError("no text")
    return value


def whole(value: Any, most: float = math.inf) -> int:
    """A whole number from 0 to `most`. Raises ValueError."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise ValueError("no whole number that is possible here")
    return value


def amount(value: Any, least: float, most: float) -> float:
    """A number from `least` to `most`. Raises ValueError."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise ValueError("no number that is possible here")
    return float(value)


def moment(value: Any) -> str:
    """A time in UTC that a clock may have shown, as `datetime.isoformat` writes it. Raises ValueError."""
    time = datetime.fromisoformat(word(value))
    if time.tzinfo != UTC or time.year not in YEARS:
        raise ValueError("not a time in UTC")
    return time.isoformat()


# ── hints ──────────────────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class State:
    """What a workspace remembers: how many rungs of each mistake's ladder were shown, by exercise and code."""

    rungs: dict[str, dict[str, int]] = field(default_factory=dict)


def load_state(workspace: Path) -> tuple[State, str]:
    """The workspace's state, and a note where a damaged file had to be set aside."""
    return _HINTS.load(workspace)


def save_state(workspace: Path, state: State) -> None:
    """Write the state. Raises UsageError where the workspace cannot be written."""
    _HINTS.save(workspace, state)


def _parse(data: Any) -> State:
    ladders = data["rungs"].items()
    return State({name: {code: whole(rung, MOST_TIMES) for code, rung in ladder.items()} for name, ladder in ladders})


_HINTS = Memory("state", 1, State, _parse, lambda state: {"rungs": state.rungs}, "your hints start again")
