"""A workspace's memory, `.grade/state.json`: one small text file, versioned, written whole or not at all.

This is its one writer. A file that cannot be read is set aside under another name, never overwritten.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.errors import UsageError

FOLDER = ".grade"
VERSION = 1


@dataclass(slots=True)
class State:
    """What a workspace remembers: how many rungs of each mistake's ladder were shown, by exercise and code."""

    rungs: dict[str, dict[str, int]] = field(default_factory=dict)


def load_state(workspace: Path) -> tuple[State, str]:
    """The workspace's state, and a note where a damaged file had to be set aside."""
    path = workspace / FOLDER / "state.json"
    try:
        return _parse(json.loads(path.read_text(encoding="utf-8"))), ""
    except FileNotFoundError:
        return State(), ""
    except (ValueError, TypeError, AttributeError, KeyError):
        aside = _set_aside(path)
        return State(), f"{path} could not be read and was set aside as {aside.name}; your hints start again."


def save_state(workspace: Path, state: State) -> None:
    """Write the state. Raises UsageError where the workspace cannot be written."""
    folder = workspace / FOLDER
    unfinished = folder / "state.json.part"
    try:
        folder.mkdir(exist_ok=True)
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")
        unfinished.write_text(json.dumps({"version": VERSION, "rungs": state.rungs}, indent=1) + "\n", encoding="utf-8")
        unfinished.replace(folder / "state.json")
    except OSError as error:
        remedy = "Make the workspace writable; nothing else was lost."
        raise UsageError(f"cannot remember: {error.strerror}", where=str(folder), remedy=remedy) from error


def _parse(data: Any) -> State:
    if data["version"] != VERSION:
        raise ValueError("another version")
    rungs = {
        str(name): {str(code): int(rung) for code, rung in ladder.items()} for name, ladder in data["rungs"].items()
    }
    return State(rungs)


def _set_aside(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"state.damaged-{number}.json")).exists():
        number += 1
    path.rename(aside)
    return aside
