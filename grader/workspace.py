"""A student's workspace: where it is, and making a fresh one."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from functools import partial
from pathlib import Path, PurePath

from grader.continuous import ARCHIVE
from grader.course import Course
from grader.errors import CourseError, UsageError
from grader.layout import WORKSPACE as EXERCISES
from grader.lesson import without_marks
from grader.state import FOLDER as MEMORY
from grader.welcome import welcome

Content = str | bytes

KEPT = (".git", ".venv", MEMORY)  # these belong to the place, not to the work in it: a folder with them alone is new
NEW = "Name a new one: nothing is ever overwritten."
NEW_OR_FORCE = "Name a new one, or add --force, which moves what is in the way into a folder beside this one."
_ELSEWHERE = "Choose a folder you may write to, on a disk with room."
_IGNORED = f".grade/\n__pycache__/\n.venv/\n/{ARCHIVE}\n"  # the archive is the teacher's: no repository is its place


def find_workspace(here: Path, *otherwise: str) -> Path:
    """The workspace `here` is, or lies in the exercises of. Raises UsageError with what helps, and with `otherwise`."""
    inside = [folder.parent for folder in (here, *here.parents) if folder.name == EXERCISES]
    for folder in (here, *inside):
        if (folder / EXERCISES).is_dir():
            return folder
    *ways, last = "Change into your workspace", "make one with `grade start my-work`", *otherwise
    raise UsageError(f"there is no {EXERCISES}/ folder here", where=str(here), remedy=f"{', '.join(ways)}, or {last}.")


def start(course: Course, folder: Path, more: Mapping[str, Content] | None = None) -> list[Path]:
    """Fill a new folder with the stubs and the lesson, a page on what to do, and `more` by path; stubs and lesson.

    Raises UsageError where the folder holds anything but what is `KEPT`, CourseError where the course cannot be read.
    """
    return _exercises(fill(folder, contents(course, more), NEW_OR_FORCE))


def start_over(
    course: Course, folder: Path, today: date, more: Mapping[str, Content] | None = None
) -> tuple[list[Path], Path | None]:
    """Like `start`, in a folder that is in use: stubs and lesson, and the folder of what stood in the way, if anything.

    That moves into a new folder beside this one, by its paths; all else stays where it is. Raises UsageError, with
    everything as it was, where that cannot be done, and where what would move is the course or the grader.
    """
    texts = contents(course, more)
    _check_folder(folder)
    with _all_or_nothing(folder) as undo:
        way = _in_the_way(folder.resolve(), texts)
        _check_apart(folder.resolve(), way, course)
        aside = _set_aside(folder.resolve(), way, today, undo) if way else None
        return _exercises([_write(folder / name, text, undo) for name, text in texts.items()]), aside


def contents(course: Course, more: Mapping[str, Content] | None = None) -> dict[str, Content]:
    """All that a workspace holds, by path; of `more`, what has the path of ours replaces it. Raises CourseError."""
    files = {exercise.stub.name: _read(exercise.stub) for exercise in course.exercises}
    files[course.lesson.name] = without_marks(_decode(course.lesson)).encode()
    inside = {f"{EXERCISES}/{name}": data for name, data in files.items()}
    return {".gitignore": _IGNORED, "README.md": welcome(course), **(more or {}), **inside}


def _exercises(files: Iterable[Path]) -> list[Path]:
    return [path for path in files if path.parent.name == EXERCISES]


def fill(folder: Path, contents: Mapping[str, Content], remedy: str = NEW) -> list[Path]:
    """Write files by their path into a new folder; the files written.

    Raises UsageError where it holds anything, and, with nothing written, where not all can be.
    """
    _check_folder(folder)
    if folder.exists() and _work_in(folder):
        raise UsageError("this folder is not empty", where=str(folder), remedy=remedy)
    with _all_or_nothing(folder) as undo:
        return [_write(folder / name, content, undo) for name, content in contents.items()]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        remedy = "Make it readable, or name another file in course.yml."
        raise CourseError([f"cannot be read: {error.strerror}"], where=str(path), remedy=remedy) from error


def _decode(path: Path) -> str:
    try:
        return _read(path).decode()
    except UnicodeDecodeError as error:
        raise CourseError(["this is not UTF-8 text"], where=str(path), remedy="Save it as UTF-8.") from error


def _check_folder(folder: Path) -> None:
    try:
        if not stat.S_ISDIR(folder.stat().st_mode):
            raise UsageError("this is a file, not a folder", where=str(folder), remedy=NEW)
    except FileNotFoundError:
        return  # it will be made
    except OSError as error:
        raise UsageError(f"no folder can be here: {error.strerror}", where=str(folder), remedy=_ELSEWHERE) from error


def _work_in(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.name not in KEPT]
    except OSError as error:
        reason = f"cannot look into this folder: {error.strerror}"
        raise UsageError(reason, where=str(folder), remedy=_ELSEWHERE) from error


# ── all of it, or nothing ──────────────────────────────────────────────────────────────────────────


@contextmanager
def _all_or_nothing(folder: Path) -> Iterator[Undo]:
    """What is done inside is undone where not all of it can be, or Ctrl-C ends it. Raises UsageError for OSError."""
    undo = Undo()
    try:
        with undo:
            yield undo
            undo.pop_all()
    except OSError as error:
        remedy = "\n  ".join(undo.stuck) or f"Everything is as it was. {_ELSEWHERE}"
        raise UsageError(f"cannot write here: {error.strerror}", where=str(folder), remedy=remedy) from error


class Undo(ExitStack):
    """What takes back each step, the last one first; `stuck` says of what could not be taken back where it is."""

    def __init__(self) -> None:
        super().__init__()
        self.stuck: list[str] = []

    def later(self, step: Callable[[], object], otherwise: str = "") -> None:
        """Take a step should it come to that; `otherwise` is what to say where the step fails."""
        self.callback(self._take, step, otherwise)

    def _take(self, step: Callable[[], object], otherwise: str) -> None:
        try:
            step()
        except OSError:
            self.stuck += [otherwise] if otherwise else []


def _write(path: Path, content: Content, undo: Undo) -> Path:
    """A new file, in folders that are made as need be."""
    _make(path.parent, undo)
    with path.open("xb") as file:
        undo.later(path.unlink)
        file.write(content.encode() if isinstance(content, str) else content)
    return path


def _make(folder: Path, undo: Undo) -> None:
    for each in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
        each.mkdir()
        undo.later(each.rmdir)


# ── starting over ──────────────────────────────────────────────────────────────────────────────────


def _in_the_way(folder: Path, names: Iterable[str]) -> list[Path]:
    """What files of these names would write over, or through: files, links, and files where their folders would be."""
    found = dict.fromkeys(_first_obstacle(folder, name) for name in names)
    return [path for path in found if path is not None]


def _first_obstacle(folder: Path, name: str) -> Path | None:
    path = folder
    for part in PurePath(name).parts:
        path /= part
        if path.is_symlink() or not path.is_dir():
            break
    return path if os.path.lexists(path) else None


def _check_apart(folder: Path, way: Sequence[Path], course: Course) -> None:
    """Raises UsageError where starting over here would move what is no student's."""
    home = Path(os.path.expanduser("~")).resolve()  # noqa: PTH111 - Path.home() raises where there is none
    if folder in (home, *home.parents):
        reason = "this is no folder to start over in: your home folder is in it"
        raise UsageError(reason, where=str(folder), remedy="Name a new folder in it: `grade start my-work`.")
    ours = [file for each in course.exercises for file in (each.stub, each.solution, each.suite, each.mistakes)]
    needed = [course.root, course.lesson, *ours, Path(__file__).parent, Path(sys.prefix)]
    if folder == course.root or any(each.resolve().is_relative_to(path) for each in needed for path in way):
        reason = "this is no folder to start over in: the course, or the grader itself, would be moved"
        raise UsageError(reason, where=str(folder), remedy="Name a new folder: `grade start my-work`.")


def _set_aside(folder: Path, way: Iterable[Path], today: date, undo: Undo) -> Path:
    """Move each by its path into a new folder beside this one: that folder."""
    aside = _unused(folder, today)
    _make(aside, undo)
    for path in way:
        target = aside / path.relative_to(folder)
        _make(target.parent, undo)
        _move(path, target)
        undo.later(partial(_move, target, path), f"What was {path} is now {target}.")
    return aside


def _move(path: Path, target: Path) -> None:
    """Move to where nothing is, perhaps on another disk; a file that cannot be moved is not left there by half."""
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, "something is there already", target)
    try:
        shutil.move(path, target)
    except BaseException:
        if path.is_symlink() or path.is_file():
            target.unlink(missing_ok=True)
        raise


def _unused(folder: Path, today: date) -> Path:
    """A name beside the folder's own that nothing has."""
    name = f"{folder.name}-before-{today.isoformat()}"
    numbers = (f"{name}-{number}" for number in range(2, 1_000_000))
    return next(path for path in (folder.with_name(each) for each in (name, *numbers)) if not os.path.lexists(path))
