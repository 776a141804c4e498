"""The sources of a .zip, .tar or .tar.gz, read from memory, never unpacked to disk, within bounds.

What a header promises is not believed: bytes are counted as they come. An archive that tries to escape, that
is broken or that passes a bound is not read at all.
"""

from __future__ import annotations

import io
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO, TYPE_CHECKING, Literal

from grader import bounds
from grader.layout import choose_sources, is_litter, is_source, packed_notes
from grader.source import Unreadable, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from _typeshed import WriteableBuffer

BLOCK_BYTES = 512
MAX_SIZE_DIGITS = 20
GZIP_START = b"\x1f\x8b"
GZIP_WINDOW = 16 + zlib.MAX_WBITS  # zlib's way to say: expect the wrapping of gzip
TAR_SUFFIXES = (".tar", ".tar.gz", ".tgz")
ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # zipfile inflates the others without bound
ZIP_ENCRYPTED = 0x1
ZIP_SAYS_UTF8 = 0x800
TAR_NAMES = ("utf-8", "surrogateescape")
EXTENSIONS = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE, b"X")
# The bytes are in memory, so an OSError is about them as well.
ZIP_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    OverflowError,  # a place in the file beyond what a pointer holds
)
CUT_SHORT = "it is cut short; pack it anew"


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an archive. `read(limit)` gives at most `limit` + 1 of its bytes, and once only."""

    path: str
    kind: Literal["file", "folder", "other"]
    read: Callable[[int], bytes]


class Budget:
    """Counts the bytes that an archive of `packed` bytes unpacks to."""

    def __init__(self, packed: int, most: int) -> None:
        self.packed = packed
        self.most = most
        self.unpacked = 0

    def take(self, count: int) -> None:
        """Unreadable where the bytes so far are more than an honest archive holds."""
        self.unpacked += count
        if self.unpacked > self.most:
            raise Unreadable(f"it unpacks to more than {self.most // bounds.MEBIBYTE} MiB")
        if self.unpacked > max(bounds.RATIO_FREE_BYTES, bounds.MAX_UNPACKED_RATIO * self.packed):
            raise Unreadable(f"it unpacks to more than {bounds.MAX_UNPACKED_RATIO} times its size")


class Patience:
    """Counts what the headers of a tar ask for: their bytes alone allow for minutes of work."""

    def __init__(self, headers: int, records: int) -> None:
        self.headers = headers
        self.records = records

    def take(self, *, headers: int = 0, records: int = 0) -> None:
        """Unreadable where an honest archive has fewer headers, or records in its extended headers."""
        self.headers -= headers
        self.records -= records
        if self.headers < 0 or self.records < 0:
            limit = f"more than {bounds.MAX_ENTRIES} members, or too long headers"
            raise Unreadable(f"it has {limit}; pack exercises/ alone")


def archive_kind(name: str, data: bytes) -> Literal["zip", "tar", ""]:
    """What the bytes are; where they do not say, what the name says, unless they are text in braces."""
    if data.startswith(ZIP_STARTS):
        return "zip"
    if data.startswith(GZIP_START) or data[257:262] == b"ustar":
        return "tar"
    if data[:80].lstrip().startswith(b"{"):
        return ""
    return "zip" if name.lower().endswith(".zip") else "tar" if name.lower().endswith(TAR_SUFFIXES) else ""


def read_archive(data: bytes, kind: Literal["zip", "tar"]) -> tuple[dict[str, bytes], list[str]]:
    """The sources that count, path to bytes, and what was left out and why.

    A source over its limit is read one byte beyond it, so that the reader sees so. Raises Unreadable.
    """
    members = _zip_members if kind == "zip" else _tar_members
    paths, notes = _list(members(data))
    chosen = choose_sources(paths)
    if not chosen:
        notes += packed_notes(paths)
    if len(chosen) > bounds.MAX_SOURCES:
        raise Unreadable(f"it holds more than {bounds.MAX_SOURCES} sources; pack exercises/ alone")
    budget = Budget(len(data), bounds.MAX_SOURCES_BYTES)
    sources: dict[str, bytes] = {}
    for member in members(data):  # the last of one name wins
        if member.kind == "file" and (path := inside(member.path)) in chosen:
            sources[chosen[path]] = member.read(bounds.file_limit(path))
            budget.take(len(sources[chosen[path]]))
    return sources, notes


def _list(members: Iterator[Member]) -> tuple[list[str], list[str]]:
    """The paths that may count, a folder's with a slash, and notes on sources that are left out."""
    paths: list[str] = []
    notes: list[str] = []
    for count, member in enumerate(members, 1):
        if count > bounds.MAX_ENTRIES:
            raise Unreadable(f"it has more than {bounds.MAX_ENTRIES} members; pack exercises/ alone")
        path = inside(member.path)
        if is_litter(path):
            continue
        reason = _left_out(member, path)
        if not reason:
            paths.append(path + "/" * (member.kind == "folder"))
        elif is_source(path):
            notes.append(f"{printable(path)}: {reason}")
    return paths, notes


def inside(path: str) -> str:
    """The path with single slashes. Unreadable where it leads out of the archive."""
    path = path.replace("\\", "/")  # some packers on Windows write these
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts or re.match("[A-Za-z]:", path):
        raise Unreadable(f'its member "{printable(path)}" points outside the archive')
    return "/".join(parts)


def _left_out(member: Member, path: str) -> str:
    if member.kind == "other":
        return "links and devices in an archive are not followed; pack the file itself"
    if len(path) > bounds.MAX_PATH_CHARS or path.count("/") > bounds.MAX_DEPTH_FOLDERS:
        return f"left out: deeper than {bounds.MAX_DEPTH_FOLDERS} folders, or too long a path"
    return ""


# ── zip ────────────────────────────────────────────────────────────────────────────────────────────


class _Table(io.BytesIO):
    """A zip in memory that refuses what only its table of contents asks for: one very long read."""

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(bounds.MAX_TABLE_BYTES + 1 if size is None or size < 0 else size)
        if len(data) > bounds.MAX_TABLE_BYTES:
            raise Unreadable("its table of contents is too large")
        return data


def _zip_members(data: bytes) -> Iterator[Member]:
    with zip_faults():
        archive = zipfile.ZipFile(_Table(data))
    for info in archive.infolist():
        yield Member(zip_path(info), zip_kind(info), partial(read_zip, archive, info))


@contextmanager
def zip_faults() -> Iterator[None]:
    """What `zipfile` raises on hostile bytes."""
    try:
        yield
    except ZIP_FAULTS as error:
        reason = printable(str(error) or type(error).__name__)
        raise Unreadable(f"it is broken or cut short ({reason}); pack it anew") from error


def zip_path(info: zipfile.ZipInfo) -> str:
    """The name, which macOS writes in UTF-8 without saying so."""
    if info.flag_bits & ZIP_SAYS_UTF8:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def zip_kind(info: zipfile.ZipInfo) -> Literal["file", "folder", "other"]:
    """What a member is: links and devices are `other`."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    is_folder = info.filename.endswith("/")  # ZipInfo.is_dir fails on an empty name
    return "folder" if is_folder else "file" if kind in (0, stat.S_IFREG) else "other"


def read_zip(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    """The bytes of a member, at most `limit` + 1 of them. Raises Unreadable."""
    if info.flag_bits & ZIP_ENCRYPTED:
        raise Unreadable("it is protected by a password; pack it without one")
    if info.compress_type not in ZIP_METHODS:
        raise Unreadable("it is packed in an uncommon way; pack it as a plain .zip")
    with zip_faults(), archive.open(info) as file:
        return bounds.read_at_most(file, limit + 1)


# ── tar ────────────────────────────────────────────────────────────────────────────────────────────
# Of `tarfile` only the reading of one 512-byte header is used. Its walk over the members believes sizes and
# extended headers: in several supported Pythons a crafted file keeps it busy without end (CVE-2024-6232,
# CVE-2025-8194).


class _Inflated(io.RawIOBase):
    """The bytes of a gzip file, counted as they come. The packer's checksum is tested where a stream ends."""

    def __init__(self, packed: bytes, budget: Budget) -> None:
        self.packed = packed
        self.budget = budget
        self.position = 0
        self.streams = 1
        self.inflater = zlib.decompressobj(GZIP_WINDOW)

    def readable(self) -> bool:
        return True

    def readinto(self, room: WriteableBuffer, /) -> int:
        view = memoryview(room).cast("B")
        data = b""
        while not data and (not self.inflater.eof or self._next_stream()):
            data = self._inflate(self.inflater.unconsumed_tail or self._chunk(), len(view))
        self.budget.take(len(data))
        view[: len(data)] = data
        return len(data)

    def _chunk(self) -> bytes:
        chunk = self.packed[self.position : self.position + bounds.CHUNK_BYTES]
        self.position += len(chunk)
        if not chunk:
            raise Unreadable(CUT_SHORT)
        return chunk

    def _inflate(self, chunk: bytes, most: int) -> bytes:
        try:
            return self.inflater.decompress(chunk, most)
        except zlib.error as error:
            raise Unreadable(f"it is broken ({error}); pack it anew") from error

    def _next_stream(self) -> bool:
        """Go on to the gzip stream after this one, if there is one: padding after the last is none."""
        start = self.position - len(self.inflater.unused_data)
        if not self.packed.startswith(GZIP_START, start):
            return False
        self.position = start
        self.streams += 1
        if self.streams > bounds.MAX_GZIP_STREAMS:
            raise Unreadable("it is gzipped in too many pieces; pack it anew")
        self.inflater = zlib.decompressobj(GZIP_WINDOW)
        return True


class _Body:
    """What is left of one member's bytes in the stream, padding apart."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        self.stream = stream
        self.left = size
        self.padding = -size % BLOCK_BYTES

    def read(self, limit: int) -> bytes:
        data = bounds.read_at_most(self.stream, min(limit + 1, self.left))
        self.left -= len(data)
        return data

    def finish(self) -> None:
        """Go past what was not read, holding no more than a chunk of it."""
        left = self.left + self.padding
        while left:
            chunk = self.stream.read(min(bounds.CHUNK_BYTES, left))
            if not chunk:
                raise Unreadable(CUT_SHORT)
            left -= len(chunk)


def _tar_members(data: bytes) -> Iterator[Member]:
    stream = _tar_stream(data)
    extended: dict[str, bytes] = {}  # what the headers so far say of the member after them
    patience = Patience(bounds.MAX_TAR_HEADERS, bounds.MAX_TAR_RECORDS)
    while header := _header(stream):
        patience.take(headers=1)
        body = _Body(stream, _size(header, extended))
        if header.type in EXTENSIONS:
            extended |= _extension(header, body.read(bounds.MAX_EXTENSION_BYTES), patience)
        else:
            path = extended["path"].decode(*TAR_NAMES) if "path" in extended else header.name
            yield Member(path, _tar_kind(header), body.read)
            extended = {}
        body.finish()
    while stream.read(bounds.CHUNK_BYTES):  # to the end, where the checksum is
        pass


def _tar_stream(data: bytes) -> IO[bytes]:
    if not data.startswith(GZIP_START):
        return io.BytesIO(data)
    inflated = _Inflated(data, Budget(len(data), bounds.MAX_UNPACKED_BYTES))
    return io.BufferedReader(inflated, bounds.CHUNK_BYTES)


def _header(stream: IO[bytes]) -> tarfile.TarInfo | None:
    """The next header; None at the end."""
    try:
        block = stream.read(BLOCK_BYTES)
        return tarfile.TarInfo.frombuf(block, *TAR_NAMES) if block.strip(b"\0") else None
    except tarfile.HeaderError as error:
        raise Unreadable(f"it is no tar archive, or a broken one ({error}); pack it anew") from error


def _size(header: tarfile.TarInfo, extended: dict[str, bytes]) -> int:
    """How many bytes follow a header. Links, folders and devices have none, whatever they say."""
    if not header.isreg() and header.type in tarfile.SUPPORTED_TYPES and header.type not in EXTENSIONS:
        return 0
    written = extended.get("size", b"") if header.type not in EXTENSIONS else b""
    size = int(written) if written.isdigit() and len(written) < MAX_SIZE_DIGITS else header.size
    if size < 0 or (header.type in EXTENSIONS and size > bounds.MAX_EXTENSION_BYTES):
        raise Unreadable("it is broken: a header with an impossible size; pack it anew")
    return size


def _tar_kind(header: tarfile.TarInfo) -> Literal["file", "folder", "other"]:
    if header.isdir():
        return "folder"
    return "file" if header.isreg() and header.type != tarfile.GNUTYPE_SPARSE else "other"


def _extension(header: tarfile.TarInfo, body: bytes, patience: Patience) -> dict[str, bytes]:
    """What an extended header says of the next member's path and size."""
    if header.type == tarfile.GNUTYPE_LONGNAME:
        return {"path": body.partition(b"\0")[0]}
    if header.type == tarfile.XHDTYPE:
        return {key: value for key, value in _records(body, patience) if key in ("path", "size")}
    return {}


def _records(body: bytes, patience: Patience) -> Iterator[tuple[str, bytes]]:
    """The records of a POSIX extended header: length, space, key, "=", value, line end."""
    position = 0
    while position < len(body) and body[position]:
        patience.take(records=1)
        digits, space, _ = body[position : position + MAX_SIZE_DIGITS].partition(b" ")
        length = int(digits) if space and digits.isdigit() else 0
        if not len(digits) < length <= len(body) - position:
            raise Unreadable("it is broken: an extended header that makes no sense; pack it anew")
        key, _, value = body[position + len(digits) + 1 : position + length - 1].partition(b"=")
        yield key.decode(*TAR_NAMES), value
        position += length
