"""What a class handed in: a folder, or a zip as learning platforms hand them out, one entry a student.

    with handed_in(path) as work:
        for entry in work.entries():
            submission = work.read(entry)

Entries are light and plain; what one of them holds is read when it is asked for, within the bounds of `bounds.py`. A
zip is never unpacked: what its members are called can reach nothing on the disk.
"""

from __future__ import annotations

import os
import shlex
import stat
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from grader import bounds
from grader.errors import SubmissionError, UsageError
from grader.folder import leads_to, read_file, real
from grader.layout import WORKSPACE
from grader.platforms import (
    Entry,
    Item,
    Place,
    Top,
    called,
    handed_out_as,
    is_nobodys,
    plain,
    recognise,
    shown,
    sort_out,
    whole_lines,
)
from grader.source import Unreadable
from grader.submission import (
    NOTHING_THERE,
    Submission,
    only_archive,
    read_data,
    read_files,
    read_submission,
    refusals,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Entry", "HandedIn", "handed_in"]

HAND_OUT = "Give the folder or the .zip that holds the class's work."
OF_ONE = "The work of one student: `grade run --submission FILE`."


class Source(Protocol):
    """A class's work on the disk or in a zip."""

    is_packed: bool

    def place(self, folder: str = "") -> Place:
        """Its top, or a folder there."""

    def read(self, entry: Entry) -> Submission:
        """Read one entry."""

    def close(self) -> None:
        """Let go of what is open."""


class HandedIn:
    """The work of a class. A zip is an open file, which a process forked meanwhile must not use: it opens its own."""

    def __init__(self, path: Path, source: Source, assignment: str | None) -> None:
        self.path = path
        self.assignment = assignment
        self.left_out: list[str] = []  # other files, by names fit to be shown: known after `entries`
        self._source = source

    def entries(self) -> list[Entry]:
        """All that was handed in, by name; no file of a student is opened.

        Raises UsageError where there is nothing to grade, it is one workspace, or it is not clear which of an nbgrader
        course's assignments is meant, SubmissionError where the machine refuses to look.
        """
        with refusals(self.path):
            place, start = self._place()
            found, self.left_out = sort_out(place, self.assignment)
        if not found:
            raise UsageError("there is nothing to grade in it", where=shown(str(self.path)), remedy=HAND_OUT)
        if [entry.name for entry in found] == [WORKSPACE]:
            raise self._one_workspace()
        return [_below(start, entry) for entry in found] if start else found

    def read(self, entry: Entry) -> Submission:
        """What an entry holds, also one that was listed in another process.

        Its path is the entry's name, fit to be shown. A folder without a source but with one archive is read as that
        archive: Moodle puts each student's file into a folder. Raises SubmissionError where the machine refuses to
        read it, which is never the student's doing.
        """
        try:
            with refusals(self.path):
                submission = self._source.read(entry)
        except UsageError as error:
            raise SubmissionError(
                "it is not there any more", where=shown(entry.name), remedy="Start the batch again."
            ) from error
        return replace(submission, path=shown(entry.name))

    def _one_workspace(self) -> UsageError:
        path = shown(str(self.path))
        remedy = f"To grade it: `grade run --submission {shlex.quote(path)}`. A class is a folder of such folders."
        return UsageError("this is one workspace, not a class", where=path, remedy=remedy)

    def _place(self) -> tuple[Place, str]:
        """Where the entries lie, and the way there: one folder down where that alone is there and holds a class."""
        top = self._source.place()
        items = top.items()
        if len(items) == 1 and items[0].is_folder and recognise(Top(top, items, self.assignment)) is None:
            inner = self._source.place(items[0].name)
            is_named_so = handed_out_as(inner.name) == handed_out_as(top.name)
            is_wrapped = self._source.is_packed and is_named_so and plain(inner.items())[0]
            if is_wrapped or recognise(Top(inner, inner.items(), self.assignment)) is not None:
                return inner, f"{inner.name}/"
        return top, ""


@contextmanager
def handed_in(path: Path, assignment: str | None = None) -> Iterator[HandedIn]:
    """The work of a class at `path`. `assignment` is the one that is meant where an nbgrader course has several.

    Raises UsageError where `path` is not there, or is neither a folder nor a zip that can be read; SubmissionError
    where the machine refuses to open it.
    """
    with refusals(path):
        source = _open(path)
    try:
        yield HandedIn(path, source, assignment)
    finally:
        source.close()


def _open(path: Path) -> Source:
    where = shown(str(path))
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno not in NOTHING_THERE:
            raise
        remedy = f"Check the path. {HAND_OUT}"
        raise UsageError("there is no such file or folder", where=where, remedy=remedy) from error
    if stat.S_ISDIR(mode):
        return ClassFolder(path)
    from grader.class_zip import ClassZip  # zipfile takes its time

    try:
        if not stat.S_ISREG(mode):
            raise Unreadable("it is neither a file nor a folder")
        return ClassZip(path)
    except Unreadable as error:
        if _begins_as_zip(path):
            raise UsageError(f"it is no .zip of a class's work: {error}", where=where, remedy=HAND_OUT) from error
        raise UsageError("it is no .zip of a class's work", where=where, remedy=f"{HAND_OUT} {OF_ONE}") from error


def _begins_as_zip(path: Path) -> bool:
    """Whether a file was a zip once; what is no file is left to its own words."""
    if not path.is_file():
        return True
    with path.open("rb") as file:
        return file.read(2) == b"PK"


# ── a folder ───────────────────────────────────────────────────────────────────────────────────────


class ClassFolder:
    """The work of a class in a folder. Links at its top are the teacher's and are followed, unlike those further in."""

    is_packed = False

    def __init__(self, path: Path) -> None:
        self._root = real(path)

    def place(self, folder: str = "") -> FolderPlace:
        """The folder, or one in it."""
        return FolderPlace(self._root / folder)

    def read(self, entry: Entry) -> Submission:
        """What an entry holds. Raises OSError, and UsageError where it is gone."""
        if entry.files:
            return read_files(called(entry), {name: partial(self._read, path) for path, name in entry.files})
        path = self._root / entry.name
        submission = read_submission(path)
        if submission.modules or not leads_to(path, stat.S_ISDIR):
            return submission
        archive = only_archive(_files(path))
        limit = bounds.MAX_ARCHIVE_BYTES
        return read_data(archive, read_file(real(path) / archive, limit)) if archive else submission

    def close(self) -> None:
        """Nothing is open."""

    def _read(self, name: str, limit: int) -> bytes:
        return read_file(real(self._root / name), limit)


class FolderPlace:
    """A folder on the disk."""

    def __init__(self, root: Path) -> None:
        self.name = root.name
        self._root = root

    def items(self, folder: str = "") -> list[Item]:
        """What lies in it, or in a folder of it, by name."""
        with os.scandir(self._root / folder) as found:
            return sorted(Item(entry.name, _is_folder(entry)) for entry in found if not is_nobodys(entry.name))

    def holds(self, path: str) -> bool:
        """Whether there is a file or folder of that path."""
        return os.path.lexists(self._root / path)

    def lines(self, path: str) -> Iterator[bytes]:
        """The lines of a file, those that are too long left out."""
        with (self._root / path).open("rb") as file:
            yield from whole_lines(file)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link in a circle, or to where nobody may look
        return False


def _files(folder: Path) -> list[str]:
    with os.scandir(folder) as found:
        return [entry.name for entry in islice(found, bounds.MAX_ENTRIES) if entry.is_file(follow_symlinks=False)]


def _below(start: str, entry: Entry) -> Entry:
    files = tuple((start + path, name) for path, name in entry.files)
    return replace(entry, name=start + entry.name, files=files)
