"""A class's work in a zip, as platforms hand it out: read member by member where it lies, and never unpacked.

The zip is the platform's and the teacher downloaded it, the members are the students'. So a broken zip is the machine's
fault, never a student's; and what a member is called, or unpacks to, does no harm.
"""

from __future__ import annotations

import io
import os
import zipfile
from bisect import bisect_left, bisect_right
from contextlib import contextmanager
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING

from grader import bounds
from grader.archive import inside, read_zip, zip_faults, zip_kind, zip_path
from grader.errors import SubmissionError, UsageError
from grader.layout import is_source
from grader.platforms import Entry, Item, called, is_nobodys, shown, whole_lines
from grader.source import Unreadable
from grader.submission import Submission, read_data, read_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_MEMBERS = 1_000_000  # each takes about half a kilobyte of memory
MAX_TABLE_BYTES = 128 * bounds.MEBIBYTE  # the table of contents, which has to be read whole
EPOCH = (1980, 1, 1, 0, 0, 0)
LINKS = "links and devices in an archive are not followed; pack the file itself"
AGAIN = "This is not the student's doing: download the zip anew, or unpack it and give the folder."

BY_PATH = itemgetter(0)


class ClassZip:
    """The work of a class in a zip. The constructor raises OSError, and Unreadable where it is no zip."""

    is_packed = True

    def __init__(self, path: Path) -> None:
        self.name = path.stem
        self._file = _Table(io.FileIO(path))
        try:
            with zip_faults():
                self._archive = zipfile.ZipFile(self._file)
            self._members = sorted(_members(self._archive), key=BY_PATH)  # stable: the last of one name stays last
        except BaseException:
            self._file.close()
            raise

    def place(self, folder: str = "") -> ZipPlace:
        """The top of the zip, or a folder in it."""
        return ZipPlace(self, folder)

    def below(self, start: str) -> Iterator[tuple[str, zipfile.ZipInfo]]:
        """The members whose path starts so, by path."""
        for index in range(bisect_left(self._members, start, key=BY_PATH), len(self._members)):
            if not self._members[index][0].startswith(start):
                return
            yield self._members[index]

    def member(self, path: str) -> zipfile.ZipInfo | None:
        """The last member of that path."""
        index = bisect_right(self._members, path, key=BY_PATH) - 1
        return self._members[index][1] if index >= 0 and self._members[index][0] == path else None

    def lines(self, path: str) -> Iterator[bytes]:
        """The lines of a member."""
        info = self.member(path)
        if info:
            with self._blamed(info), zip_faults(), self._archive.open(info) as file:
                yield from whole_lines(file)

    def read(self, entry: Entry) -> Submission:
        """What an entry holds. Raises SubmissionError where a member is broken, UsageError where there is none."""
        name = entry.name.rpartition("/")[2]
        if entry.files:
            return self._files(called(entry), {file: self.member(path) for path, file in entry.files})
        start = f"{entry.name}/"
        below = {path[len(start) :]: info for path, info in islice(self.below(start), bounds.MAX_ENTRIES)}
        if below:
            return self._files(name, {path: info for path, info in below.items() if path and not path.endswith("/")})
        info = self.member(entry.name)
        if info and zip_kind(info) == "file":
            return read_data(name, self._read(info, bounds.MAX_ARCHIVE_BYTES))
        return self._files(name, {name: info})

    def close(self) -> None:
        """Close the file."""
        self._archive.close()
        self._file.close()

    def _files(self, name: str, files: dict[str, zipfile.ZipInfo | None]) -> Submission:
        members = {file: info for file, info in files.items() if info}
        if files and not members:
            raise UsageError("there is no such member")
        regular = {file: partial(self._read, info) for file, info in members.items() if zip_kind(info) == "file"}
        notes = [f"{file}: {LINKS}" for file in members if file not in regular and is_source(file)]
        return read_files(name, regular, notes)

    def _read(self, info: zipfile.ZipInfo, limit: int) -> bytes:
        with self._blamed(info):
            return read_zip(self._archive, info, limit)

    @contextmanager
    def _blamed(self, info: zipfile.ZipInfo) -> Iterator[None]:
        """A member that cannot be read is the machine's fault: the platform packed it."""
        try:
            yield
        except Unreadable as error:
            where = f"{self.name}.zip: {shown(zip_path(info))}"
            raise SubmissionError(f"cannot be read: {error}", where=where, remedy=AGAIN) from error


class ZipPlace:
    """A folder in a zip."""

    def __init__(self, source: ClassZip, folder: str) -> None:
        self.name = folder or source.name
        self._source = source
        self._start = f"{folder}/" if folder else ""

    def items(self, folder: str = "") -> list[Item]:
        """What lies in it, or in a folder of it, by name."""
        start = f"{self._start}{folder.rstrip('/')}/" if folder else self._start
        kinds: dict[str, bool] = {}
        for path, _ in self._source.below(start):
            name, slash, _ = path[len(start) :].partition("/")
            kinds[name] = bool(slash) or kinds.get(name, False)
        return [Item(name, kinds[name]) for name in sorted(kinds) if name and not is_nobodys(name)]

    def holds(self, path: str) -> bool:
        """Whether there is a file or folder of that path."""
        full = f"{self._start}{path}"
        return bool(self._source.member(full)) or any(True for _ in self._source.below(f"{full}/"))

    def lines(self, path: str) -> Iterator[bytes]:
        """The lines of a file, those that are too long left out."""
        return self._source.lines(f"{self._start}{path}")


class _Table(io.BufferedReader):
    """A file that refuses what only a zip's table of contents asks for: one very long read."""

    def __init__(self, raw: io.FileIO) -> None:
        super().__init__(raw)
        self.bytes = os.fstat(raw.fileno()).st_size

    def read(self, size: int | None = -1, /) -> bytes:
        left = self.bytes - self.tell()
        size = left if size is None or size < 0 else min(size, left)
        if size > MAX_TABLE_BYTES:
            raise Unreadable("its table of contents is too large")
        return super().read(size)


def _members(archive: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """Path and place of each member that stays inside the zip; a folder's path ends in a slash."""
    if len(archive.infolist()) > MAX_MEMBERS:
        raise Unreadable(f"it has more than {MAX_MEMBERS} members")
    for info in archive.infolist():
        info.date_time = EPOCH  # one for all, since a class is long
        try:
            path = inside(zip_path(info))
        except Unreadable:
            continue  # nobody's: no platform writes such names
        if path and len(path) <= bounds.MAX_PATH_CHARS and path.count("/") <= bounds.MAX_DEPTH_FOLDERS:
            yield path + "/" * (zip_kind(info) == "folder"), info
