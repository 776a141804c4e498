"""A student's workspace: where it is, and making a fresh one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from grader.course import Course
from grader.errors import UsageError
from grader.layout import WORKSPACE as EXERCISES
from grader.lesson import without_marks
from grader.state import FOLDER as MEMORY
from grader.welcome import welcome

Content = str | bytes

KEPT = (".git", ".venv", MEMORY)  # these belong to the place, not to the work in it: a new start leaves them there
NEW = "Name a new one: nothing is ever overwritten."
NEW_OR_FORCE = "Name a new one, or add --force, which moves what this one holds into a folder beside it."
_IGNORED = ".grade/\n__pycache__/\n.venv/\n"


def find_workspace(here: Path) -> Path:
    """The workspace `here` is, or lies in the exercises of. Raises UsageError with the way to get one."""
    inside = [folder.parent for folder in (here, *here.parents) if folder.name == EXERCISES]
    for folder in (here, *inside):
        if (folder / EXERCISES).is_dir():
            return folder
    raise UsageError(
        f"there is no {EXERCISES}/ folder here",
        where=str(here),
        remedy="Make a workspace with `grade start my-work`, or name your work: `grade run --submission PATH`.",
    )


def start(course: Course, folder: Path, more: Mapping[str, Content] | None = None) -> list[Path]:
    """Fill a new folder with the stubs and the lesson, a page on what to do, and `more` by path; stubs and lesson.

    Raises UsageError where the folder holds anything but what is `KEPT`.
    """
    texts = {exercise.stub.name: exercise.stub.read_text(encoding="utf-8") for exercise in course.exercises}
    texts[course.lesson.name] = without_marks(course.lesson.read_text(encoding="utf-8"))
    inside = {f"{EXERCISES}/{name}": text for name, text in texts.items()}
    fill(folder, {".gitignore": _IGNORED, "README.md": welcome(course), **(more or {}), **inside}, NEW_OR_FORCE)
    return [folder / name for name in inside]


def fill(folder: Path, contents: Mapping[str, Content], remedy: str = NEW) -> list[Path]:
    """Write files by their path into a new folder; the files written. Raises UsageError where it holds anything."""
    if folder.exists() and not folder.is_dir():
        raise UsageError("this is a file, not a folder", where=str(folder), remedy=NEW)
    if folder.exists() and _work_in(folder):
        raise UsageError("this folder is not empty", where=str(folder), remedy=remedy)
    paths = [folder / name for name in contents]
    try:
        for path, content in zip(paths, contents.values(), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise UsageError(
            f"cannot write here: {error.strerror}",
            where=str(folder),
            remedy="Choose a folder you may write to.",
        ) from error
    return paths


def set_aside(folder: Path, today: date) -> Path | None:
    """Move all that a folder holds, but what is `KEPT`, into a new one beside it: its path; None if there is nothing.

    Raises UsageError where that cannot be done, or is a home folder's whole content.
    """
    folder = folder.resolve()
    work = _work_in(folder) if folder.is_dir() else []
    if not work:
        return None
    home = Path(os.path.expanduser("~")).resolve()  # noqa: PTH111 - Path.home() raises where there is none
    if folder in (home, *home.parents):
        remedy = "Name a new folder in it: `grade start my-work`."
        raise UsageError(
            "this is no folder to start over in: your home folder is in it", where=str(folder), remedy=remedy
        )
    aside = _unused(folder, today)
    try:
        aside.mkdir()
        for path in work:
            shutil.move(str(path), str(aside / path.name))
    except OSError as error:
        remedy = f"Nothing is lost: what was moved already is in {aside}." if aside.exists() else "Nothing was moved."
        raise UsageError(f"cannot set this aside: {error.strerror}", where=str(folder), remedy=remedy) from error
    return aside


def _work_in(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.name not in KEPT)
    except OSError as error:
        raise UsageError(
            f"cannot look into this folder: {error.strerror}", where=str(folder), remedy="Choose another folder."
        ) from error


def _unused(folder: Path, today: date) -> Path:
    """A name beside the folder's own that nothing has."""
    name = f"{folder.name}-before-{today.isoformat()}"
    numbers = (f"{name}-{number}" for number in range(2, 1_000_000))
    return next(path for path in (folder.with_name(each) for each in (name, *numbers)) if not path.exists())
