"""What a student hands in, as text: a workspace, a folder, a .py, a notebook, or an archive of one of these.

Read within bounds (`bounds.py`), never run and never imported. What cannot be read is a note, not an error:
errors are for the machine, and for a path that is not there.
"""

from __future__ import annotations

import errno
import stat
from codecs import BOM_UTF8
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from grader.bounds import (
    MAX_ARCHIVE_BYTES,
    MAX_CODE_BYTES,
    MAX_NOTE_CHARS,
    MAX_NOTES,
    MEBIBYTE,
)
from grader.definitions import defines, defines_itself, mentions
from grader.errors import SubmissionError, UsageError
from grader.folder import leads_to, read_file, read_folder, read_sources, real
from grader.layout import ARCHIVE_SUFFIXES, WORKSPACE, choose_sources, is_litter, is_source, name_modules, packed_notes
from grader.source import Module, Unreadable, line_at, place, printable, read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

__all__ = [
    "Module",
    "Submission",
    "breaks",
    "line_at",
    "locate",
    "only_archive",
    "place",
    "read_cells",
    "read_data",
    "read_files",
    "read_submission",
    "refusals",
]

Kind = Literal["folder", "file", "notebook", "cells"]

NOTHING_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)
HAND_IN = "hand in a folder, a .py file, a notebook (.ipynb), or a .zip or .tar.gz of one of these"
NEITHER = f"neither a file nor a folder; {HAND_IN}"


@dataclass(frozen=True, slots=True)
class Submission:
    """All that was handed in and counts."""

    path: str  # as given, for reports; "" where it means nothing to its author
    kind: Kind  # what was finally found: an archive is opened to one of these; "cells" are those of an open notebook
    modules: tuple[Module, ...]  # every source, sorted by file
    sha256: str  # of a file's bytes as handed in; of a folder: over paths and bytes of the sources read
    notes: tuple[str, ...] = ()  # what could not be read, which file and why
    workspace: bool = False  # a folder with exercises/ in it, where alone its sources count
    beside: tuple[tuple[str, str], ...] = ()  # of a workspace: other files that look like work, and their text

    def with_module(self, module: Module) -> Submission:
        """The submission with `module` in place of the one of its name."""
        return replace(self, modules=tuple(module if each.name == module.name else each for each in self.modules))


def read_submission(path: Path) -> Submission:
    """Read what `path` names. What a student got wrong is in the notes and the modules' problems.

    Raises UsageError where there is nothing at `path`, SubmissionError where the machine refuses to read it.
    """
    with refusals(path):
        mode = _mode(path)
        if stat.S_ISDIR(mode):
            return _read_folder(path)
        if stat.S_ISREG(mode):
            data = read_file(real(path), MAX_ARCHIVE_BYTES)
            return replace(read_data(path.name, data), path=printable(str(path), MAX_NOTE_CHARS))
        return _submission(path, "file", {}, b"", [f"{path.name}: it is {NEITHER}"])


@contextmanager
def refusals(path: Path) -> Iterator[None]:
    """An OSError while `path` is read is the machine's: SubmissionError."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        where = printable(str(error.filename or path), MAX_NOTE_CHARS)
        remedy = "This is not the student's doing: make it readable, or repair the disk, and grade again."
        raise SubmissionError(f"cannot be read: {reason}", where=where, remedy=remedy) from error


def read_data(name: str, data: bytes) -> Submission:
    """A file's bytes, at most MAX_ARCHIVE_BYTES + 1 of them, under the name that its student gave it."""
    try:
        kind, sources, notes = _open(name, data)
    except Unreadable as error:
        kind, sources, notes = "file", {}, [f"{name}: {error}"]
    return _submission(name, kind, sources, data[:MAX_ARCHIVE_BYTES], notes)


def read_files(name: str, files: Mapping[str, Callable[[int], bytes]], notes: Iterable[str] = ()) -> Submission:
    """Files that lie in no folder of the disk, as the folder called `name` that they would make.

    `files` are paths with slashes, each with what reads at most so many of its bytes and one more. Where there is no
    source but one archive, that is what was handed in. `notes` say what was left out before.
    """
    chosen = choose_sources(sorted(files, key=lambda file: (file.count("/"), file)))
    archive = "" if chosen else only_archive(files)
    if archive:
        return read_data(archive, files[archive](MAX_ARCHIVE_BYTES))
    sources, more = read_sources({file: files[path] for path, file in chosen.items()})
    said = [*notes, *([] if chosen else packed_notes(files)), *more, *_empty(name, sources)]
    submission = _submission(name, "folder", sources, _framed(sources), said)
    workspace = any(file.startswith(f"{WORKSPACE}/") for file in files)
    beside = sorted(file for file in files if "/" not in file and is_source(file))[:MAX_NOTES] if workspace else ()
    texts = tuple((printable(file), _text(files[file](MAX_CODE_BYTES))) for file in beside)
    return replace(submission, workspace=workspace, beside=texts)


def only_archive(names: Iterable[str]) -> str:
    """The one archive at the top of a folder that holds these files; "" where there is none, or a second."""
    tops = (name for name in names if "/" not in name and not is_litter(name))
    packed = [name for name in tops if name.lower().endswith(ARCHIVE_SUFFIXES)]
    return packed[0] if len(packed) == 1 else ""


def read_cells(name: str, data: bytes) -> Submission:
    """The cells of a notebook that is open, or passes through nbgrader: `data` is what its file would hold."""
    return _submission(name, "cells", {name: data}, data, [])


def locate(submission: Submission, module: str, function: str) -> Module | None:
    """The source that defines `function`, judged on its text; None where there is none.

    The file named for `module` comes first: where it defines `function`, cannot be parsed, or nothing else
    defines it. Then come other .py files, those called like the module before the rest, then notebooks. A
    source that imports the function from another of the submission counts after those that define it
    themselves. Last come a notebook whose broken cells would define it (see `breaks`), or an only file that
    is no text.
    """
    by_name = {source.name: source for source in submission.modules}
    own = by_name.get(module)
    if own and not own.statements and (own.problem or defines(own, function, by_name)):
        return own
    order = sorted(submission.modules, key=lambda source: _distance(source, module))
    found = [source for source in order if defines_itself(source, function)]
    found = found or [source for source in order if defines(source, function, by_name)]
    return found[0] if found else own or _last_resort(order, function)


def breaks(module: Module, function: str) -> bool:
    """Whether a notebook's broken cells would define `function`: syntax-error, not missing-function."""
    return mentions(module.broken, function)


def _distance(source: Module, module: str) -> tuple[bool, bool, bool]:
    return source.statements, source.name != module, source.name.rpartition(".")[2] != module


def _last_resort(order: list[Module], function: str) -> Module | None:
    alone = order[0] if len(order) == 1 else None
    if alone and alone.guessed:
        return alone
    return next((source for source in order if breaks(source, function)), None)


# ── reading ────────────────────────────────────────────────────────────────────────────────────────


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno not in NOTHING_THERE:
            raise
        where, remedy = printable(str(path), MAX_NOTE_CHARS), f"Check the path; {HAND_IN}."
        raise UsageError("there is no such file or folder", where=where, remedy=remedy) from error


def _read_folder(path: Path) -> Submission:
    sources, notes = read_folder(path)
    notes += _empty(real(path).name, sources)
    submission = _submission(path, "folder", sources, _framed(sources), notes)
    workspace = leads_to(path / WORKSPACE, stat.S_ISDIR)
    return replace(submission, workspace=workspace, beside=_beside(path) if workspace else ())


def _beside(workspace: Path) -> tuple[tuple[str, str], ...]:
    """Sources next to exercises/ rather than in it: they are not graded, and a learner will want to know."""
    named = (file for file in workspace.iterdir() if file.suffix in (".py", ".ipynb") and not file.is_symlink())
    files = sorted(file for file in named if file.is_file())
    return tuple((printable(file.name), _text(read_file(file, MAX_CODE_BYTES))) for file in files[:MAX_NOTES])


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _open(name: str, data: bytes) -> tuple[Kind, dict[str, bytes], list[str]]:
    """The sources in a file, by what its bytes are rather than by its name; but a .py is always text."""
    if len(data) > MAX_ARCHIVE_BYTES:
        limit = f"{MAX_ARCHIVE_BYTES // MEBIBYTE} MiB"
        raise Unreadable(f"it is larger than {limit} (its sha256 is of the first {limit}); {HAND_IN}")
    if name.lower().endswith(".py"):
        return "file", {name: data}, []
    if not data:
        raise Unreadable(f"it is empty; {HAND_IN}")
    from grader.archive import archive_kind, read_archive  # zipfile and tarfile take their time

    packed = archive_kind(name, data)
    if packed:
        sources, notes = read_archive(data, packed)
        return _kind(list(sources)), sources, notes + _empty(name, sources)
    if name.lower().endswith(".ipynb") or _is_braced(data):
        return "notebook", {name: data}, []
    raise Unreadable(f"it is nothing that can be graded; {HAND_IN}")


def _is_braced(data: bytes) -> bool:
    """Whether the bytes start as JSON of a notebook does."""
    return data[:80].removeprefix(BOM_UTF8).lstrip().startswith(b"{")


def _kind(files: list[str]) -> Kind:
    """What an archive holds: a folder, or what a single file in it is."""
    if len(files) != 1:
        return "folder"
    return "notebook" if files[0].lower().endswith(".ipynb") else "file"


def _empty(name: str, sources: dict[str, bytes]) -> list[str]:
    return [] if sources else [f"{name}: there is no .py file and no notebook in it; {HAND_IN}"]


def _submission(
    path: Path | str, kind: Kind, sources: dict[str, bytes], handed_in: bytes, notes: list[str]
) -> Submission:
    from hashlib import sha256

    names = name_modules(sources)
    modules: list[Module] = []
    for file, data in sources.items():
        try:
            modules.append(_module(names[file], file, data))
        except Unreadable as error:
            notes.append(f"{file}: {error}")
    modules.sort(key=lambda module: module.file)
    shown = [printable(note, MAX_NOTE_CHARS) for note in notes[:MAX_NOTES]]
    shown += [f"and {len(notes) - MAX_NOTES} notes more"] if len(notes) > MAX_NOTES else []
    shown_path = printable(str(path), MAX_NOTE_CHARS)
    return Submission(shown_path, kind, tuple(modules), sha256(handed_in).hexdigest(), tuple(shown))


def _module(name: str, file: str, data: bytes) -> Module:
    shown = printable(file, MAX_NOTE_CHARS)
    if file.lower().endswith(".py"):
        return read_source(name, shown, data)
    from grader.notebook import read_notebook

    return read_notebook(name, shown, data)


def _framed(sources: dict[str, bytes]) -> bytes:
    """Path and bytes of each source, sorted, with their lengths, so that no two folders read alike."""
    pairs = [(file.encode("utf-8", "surrogatepass"), data) for file, data in sorted(sources.items())]
    return b"".join(len(part).to_bytes(8, "big") + part for pair in pairs for part in pair)
