"""A student's workspace: where it is, and making a fresh one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grader.course import Course
from grader.errors import UsageError
from grader.layout import WORKSPACE as EXERCISES
from grader.lesson import without_marks

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


def start(course: Course, folder: Path) -> list[Path]:
    """Fill a new folder with the stubs and the lesson; the files written. Raises UsageError where it holds anything."""
    texts = {exercise.stub.name: exercise.stub.read_text(encoding="utf-8") for exercise in course.exercises}
    texts[course.lesson.name] = without_marks(course.lesson.read_text(encoding="utf-8"))
    inside = {f"{EXERCISES}/{name}": text for name, text in texts.items()}
    return fill(folder, {".gitignore": _IGNORED, **inside})[1:]


def fill(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write texts by their path into a new folder; the files written. Raises UsageError where it holds anything."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(
            "this folder is not empty",
            where=str(folder),
            remedy="Name a new one: nothing is ever overwritten.",
        )
    paths = [folder / name for name in texts]
    try:
        for path, text in zip(paths, texts.values(), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write here: {error.strerror}",
            where=str(folder),
            remedy="Choose a folder you may write to.",
        ) from error
    return paths
