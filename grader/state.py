"""A workspace's memory, `.grade/`: small text files, versioned, each written whole or not at all.

This is their one writer. A file that cannot be read is set aside under another name, never overwritten.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from grader.errors import UsageError

FOLDER = ".grade"
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

    def load(self, workspace: Path) -> tuple[Content, str]:
        """What is remembered, and a note where a damaged or newer file had to be set aside. Raises UsageError."""
        path = workspace / FOLDER / f"{self.name}.json"
        try:
            return self.parse(_of_version(json.loads(path.read_text(encoding="utf-8")), self.version)), ""
        except FileNotFoundError:
            return self.empty(), ""
        except OSError as error:
            raise _unwritable(error, path) from error
        except _Newer:
            why = "was written by a newer version of this program"
        except (ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError):
            why = "could not be read"
        return self.empty(), f"{path} {why} and was set aside as {_set_aside(path).name}; {self.lost}."

    def save(self, workspace: Path, content: Content) -> None:
        """Write it. Raises UsageError where the workspace cannot be written."""
        folder = workspace / FOLDER
        unfinished = folder / f"{self.name}.json.part"
        text = json.dumps({"version": self.version, **self.dump(content)}, indent=1) + "\n"
        try:
            folder.mkdir(exist_ok=True)
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")
            unfinished.write_text(text, encoding="utf-8")
            unfinished.replace(folder / f"{self.name}.json")
        except OSError as error:
            raise _unwritable(error, folder) from error

    def update(self, workspace: Path, change: Callable[[Content], bool]) -> tuple[Content, str]:
        """Read, change, and write where `change` says that it changed anything; what `load` gives. Raises UsageError.

        Two commands at work in one workspace wait for one another, so neither loses what the other wrote.
        """
        with _alone(workspace / FOLDER):
            content, note = self.load(workspace)
            if change(content):
                self.save(workspace, content)
            return content, note


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
    rungs = {
        str(name): {str(code): int(rung) for code, rung in ladder.items()} for name, ladder in data["rungs"].items()
    }
    return State(rungs)


_HINTS = Memory("state", 1, State, _parse, lambda state: {"rungs": state.rungs}, "your hints start again")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Alone among the commands that change this folder, where the system and its disk have locks."""
    try:
        import fcntl

        folder.mkdir(exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY)
    except ImportError:
        yield
        return
    except OSError as error:
        raise _unwritable(error, folder) from error
    try:
        with suppress(OSError):  # a network disk without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


class _Newer(Exception):
    """A later version of the grader wrote this."""


def _of_version(data: Any, version: int) -> Any:
    if int(data["version"]) > version:
        raise _Newer
    if data["version"] != version:
        raise ValueError("another version")
    return data


def _unwritable(error: OSError, where: Path) -> UsageError:
    remedy = "Make the workspace writable; nothing else was lost."
    return UsageError(f"cannot remember: {error.strerror}", where=str(where), remedy=remedy)


def _set_aside(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.stem}.damaged-{number}.json")).exists():
        number += 1
    try:
        path.rename(aside)
    except OSError as error:
        raise _unwritable(error, path) from error
    return aside
