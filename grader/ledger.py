"""Where a batch keeps its results: one JSON object a line, each on the disk before the next, and none of them twice.

A file that was cut short by a crash, a kill or a full disk is read up to the last whole line; the rest is done again.
"""

from __future__ import annotations

import json
import math
import os
import stat
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.errors import GraderError, UsageError

if TYPE_CHECKING:
    from grader.records import Record

CHUNK_BYTES = 32 << 10
GO_ON = "What was graded is kept; the same command goes on from there."
PLACE = "Make it writable, or choose another place: `grade batch … --output FILE.jsonl`."
OURS = "Choose a file that `grade batch` wrote, or one that is not there yet."
BEGINNING = b'{"schema": 1, '  # of every line
FIRST_BYTES = 1 << 20  # of a line that is looked at to see whose file it is
OWN = ("identity", "student", "platform_id")  # the same in results of the same, for the same student
NEEDED: dict[str, Any] = {
    "student": str,
    "submission": str,
    "identity": str,
    "graded": bool,
    "score": (int, float),
    "exercises": list,
}


class Ledger:
    """The results so far, by submission and by identity: what two submissions share that get the same result.

    In memory there are places in the file, not results: a class of ten thousand takes a megabyte.
    """

    def __init__(self, file: FileIO, path: Path) -> None:
        self.file = file
        self.path = path
        self.end = 0  # bytes of whole lines
        self.lines = 0
        self.places: dict[str, int] = {}  # by submission: its last line
        self.identities: dict[int, int] = {}  # by the start of an identity: a line with a grade

    def refuse_others(self, submissions: Collection[str]) -> None:
        """Raises UsageError where there are results, and none of any of these: another class's, which would be lost."""
        if self.places and not any(name in submissions for name in self.places):
            remedy = "Choose another file, or start over with --fresh."
            raise UsageError("it holds the results of another class", where=str(self.path), remedy=remedy)

    def done(self, own: Record) -> bool:
        """Whether a submission was graded as it is now, and for the student whose it is now."""
        place = self.places.get(own["submission"])
        if place is None:
            return False
        known = self._at(place)
        return known["graded"] and all(known.get(name) == own.get(name) for name in OWN)

    def twin(self, identity: str) -> Record | None:
        """The result of some submission of this identity."""
        place = self.identities.get(_start(identity))
        known = None if place is None else self._at(place)
        return known if known and known["identity"] == identity else None

    def append(self, record: Record) -> None:
        """Write one result, to the disk. Raises GraderError where there is no room for it: then nothing is written."""
        line = _line(record)
        try:
            self.file.truncate(self.end)  # what is to be graded afresh goes when there is something in its place
            self.file.seek(self.end)
            _write(self.file, line)
            os.fsync(self.file.fileno())
        except OSError as error:
            with suppress(OSError):
                self.file.truncate(self.end)
            raise _unwritable(error, self.path) from error
        self._remember(record, self.end)
        self.end += len(line)
        self.lines += 1

    def records(self) -> Iterator[Record]:
        """The last result of each submission, by name."""
        return (self._at(self.places[name]) for name in sorted(self.places))

    def keep(self, submissions: Collection[str]) -> int:
        """Leave the results of these, one line each. What is not there any more, or was graded again, goes.

        How many are not there any more. Raises GraderError where there is no room.
        """
        gone = self.forget_others(submissions)
        self.tidy()
        return gone

    def forget_others(self, submissions: Collection[str]) -> int:
        """Know of these alone; how many are not there any more. Their lines stay until the file is tidied up."""
        before = len(self.places)
        self.places = {name: place for name, place in self.places.items() if name in submissions}
        return before - len(self.places)

    def tidy(self) -> None:
        """Leave one line for each submission that is known of. Raises GraderError where there is no room."""
        if self.lines == len(self.places):
            return
        try:
            self._rewrite()
        except OSError as error:
            raise _unwritable(error, self.path) from error
        self.read()

    def _rewrite(self) -> None:
        """Put a new file in the place of this one, whole or not at all. Raises OSError."""
        path = self.path.resolve()
        descriptor, name = tempfile.mkstemp(prefix=".grade-", dir=path.parent)
        file = FileIO(descriptor, "r+")
        try:
            _lock(file)
            for record in self.records():
                _write(file, _line(record))
            os.fsync(descriptor)
            Path(name).chmod(path.stat().st_mode & 0o777)
            Path(name).replace(path)
        except BaseException:
            file.close()
            Path(name).unlink(missing_ok=True)
            raise
        self.file.close()
        self.file = file

    def read(self) -> None:
        """Find the results in the file, and cut off what is no whole line at its end."""
        self.find()
        self.file.truncate(self.end)

    def find(self) -> None:
        """Find the results in the file. A line that is none is passed over."""
        self.end, self.lines, self.places, self.identities = 0, 0, {}, {}
        with self.path.open("rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):
                    if (record := _parsed(line)) is not None:
                        self._remember(record, self.end)
                    self.end += len(line)
                    self.lines += 1

    def _remember(self, record: Record, place: int) -> None:
        self.places[record["submission"]] = place
        if record["graded"]:
            self.identities[_start(record["identity"])] = place

    def _at(self, place: int) -> Record:
        self.file.seek(place)
        chunks = [self.file.read(CHUNK_BYTES)]
        while chunks[-1] and b"\n" not in chunks[-1]:
            chunks.append(self.file.read(CHUNK_BYTES))
        record: Record = json.loads(b"".join(chunks).partition(b"\n")[0])
        return record


@contextmanager
def open_ledger(path: Path, *, fresh: bool) -> Iterator[Ledger]:
    """The ledger in a file, made where there is none. What is to start over goes when there is a result in its place.

    Raises UsageError where the file holds something else, and GraderError where it cannot be written or another batch
    writes to it.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)  # marks are nobody else's to read
    except OSError as error:
        raise _unwritable(error, path, PLACE) from error
    ledger = Ledger(FileIO(descriptor, "r+"), path)
    try:
        _alone(ledger.file, path)
        check_results(path)
        if not fresh:
            ledger.read()
        yield ledger
    finally:
        ledger.file.close()


def check_results(path: Path, remedy: str = OURS) -> None:
    """Raises UsageError where a file cannot be read or holds anything but a batch's results; none is nothing else."""
    try:
        is_ours = stat.S_ISREG(path.stat().st_mode) and _is_ours(path)
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=str(path), remedy=remedy) from error
    if not is_ours:
        raise UsageError("this holds no results of a batch", where=str(path), remedy=remedy)


def _is_ours(path: Path) -> bool:
    """Whether a file begins with a result, or with as much of one as could be written."""
    with path.open("rb") as lines:
        first = lines.readline(FIRST_BYTES)
    whole = first.endswith(b"\n")
    return _parsed(first) is not None if whole else first[: len(BEGINNING)] == BEGINNING[: len(first)]


def _alone(file: FileIO, path: Path) -> None:
    """Keep a second batch from writing the same results, where the system and its disk have locks."""
    if _lock(file) and os.path.samestat(os.fstat(file.fileno()), path.stat()):  # it was not replaced meanwhile
        return
    remedy = "Wait for it, or stop it and run this again: it goes on where that one stopped."
    raise GraderError("another batch is writing these results", where=str(path), remedy=remedy)


def _lock(file: FileIO) -> bool:
    """Whether nobody else has the file: it is ours now."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a network disk without locks
        return True
    return True


def read_records(path: Path) -> Iterator[Record]:
    """The results in a file, line by line; of a submission graded again the last. Raises UsageError."""
    check_results(path)
    try:
        with path.open("rb", buffering=0) as file:
            ledger = Ledger(file, path)
            ledger.find()
            yield from ledger.records()
    except OSError as error:
        remedy = "It is a file that `grade batch` wrote before."
        raise UsageError(f"cannot be read: {error.strerror}", where=str(path), remedy=remedy) from error


def _line(record: Record) -> bytes:
    return json.dumps(record, allow_nan=False).encode() + b"\n"


def _start(identity: str) -> int:
    """64 bits of it: who is found by them is looked at as a whole."""
    return int(identity[:16], 16)


def _write(file: FileIO, line: bytes) -> None:
    rest = memoryview(line)
    while rest:
        rest = rest[file.write(rest) :]


def _parsed(line: bytes) -> Record | None:
    """The result in a line; None where there is none."""
    try:
        record: Any = json.loads(line)
        _start(record["identity"])
        is_whole = all(isinstance(record[name], kind) for name, kind in NEEDED.items())
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return record if is_whole and math.isfinite(record["score"]) else None


def _unwritable(error: OSError, path: Path, remedy: str = GO_ON) -> GraderError:
    return GraderError(f"the results cannot be written: {error.strerror}", where=str(path), remedy=remedy)
