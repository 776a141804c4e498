"""The sources of a folder, within bounds and never followed out of it."""

from __future__ import annotations

import os
import stat
from collections import deque
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from grader.bounds import (
    MAX_DEPTH_FOLDERS,
    MAX_ENTRIES,
    MAX_PATH_CHARS,
    MAX_SOURCES,
    MAX_SOURCES_BYTES,
    MEBIBYTE,
    file_limit,
    read_at_most,
)
from grader.layout import WORKSPACE, choose_sources, is_litter, is_source, packed_notes
from grader.source import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def read_folder(folder: Path) -> tuple[dict[str, bytes], list[str]]:
    """The sources that count, path to bytes, those nearest to the top first; and what was left out and why.

    A source over its limit is read one byte beyond it, so that the reader sees so. Raises OSError.
    """
    root = real(folder)
    notes: list[str] = []
    names = list(_walk(root, notes))
    chosen = choose_sources(names)
    if not chosen:
        notes += packed_notes(names)
    sources, more = read_sources({file: partial(_read_below, root, name) for name, file in chosen.items()})
    return sources, notes + more


def _read_below(root: Path, name: str, limit: int) -> bytes:
    return read_file(real(root / name), limit)


def read_sources(files: Mapping[str, Callable[[int], bytes]]) -> tuple[dict[str, bytes], list[str]]:
    """The bytes of sources, each read up to the limit it is given, and notes on what is beyond the bounds."""
    notes: list[str] = []
    if len(files) > MAX_SOURCES:
        notes.append(f"more than {MAX_SOURCES} sources: only those nearest to the top were read")
    sources: dict[str, bytes] = {}
    left = MAX_SOURCES_BYTES
    for file, read in islice(files.items(), MAX_SOURCES):
        data = read(file_limit(file))
        left -= len(data)
        if left < 0:
            limit = f"more than {MAX_SOURCES_BYTES // MEBIBYTE} MiB of sources"
            notes.append(f"{limit}: {printable(file)} and what comes after it were not read")
            break
        sources[file] = data
    return sources, notes


def real(path: Path) -> Path:
    """The path with its links followed; unlike `Path.resolve` it raises nothing where they go in a circle."""
    return Path(os.path.realpath(path))


def leads_to(path: Path, is_kind: Callable[[int], bool]) -> bool:
    """Whether something of that kind is there; unlike `Path.is_dir` it raises nothing where a name is too long."""
    try:
        return is_kind(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def read_file(path: Path, limit: int) -> bytes:
    """The bytes of a regular file, at most `limit` + 1 of them. Raises OSError, also where it is none."""
    with open(path, "rb", opener=_open_regular) as file:
        return read_at_most(file, limit + 1)


def _open_regular(path: str, flags: int) -> int:
    """Opened so that a link or a pipe put there since it was looked at is neither followed nor waited for."""
    descriptor = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path} is no regular file")
    return descriptor


def _walk(root: Path, notes: list[str]) -> Iterator[str]:
    """The names in a folder, breadth first, a folder's with a slash; in a workspace those in `exercises/`."""
    workspace = root / WORKSPACE
    start = f"{WORKSPACE}/" if leads_to(workspace, stat.S_ISDIR) and not workspace.is_symlink() else ""
    yield start
    folders, left = deque([start]), MAX_ENTRIES
    while folders and left > 0:
        folder = folders.popleft()
        entries = _entries(root / folder, left)
        left -= len(entries)
        if folder != start and any(entry.name == "pyvenv.cfg" for entry in entries):
            continue  # a virtual environment, whatever it is called
        for entry in entries:
            if name := _visible(root, folder, entry, notes):
                yield name
                folders += [name] if name.endswith("/") else []
    if left <= 0:
        notes.append(f"more than {MAX_ENTRIES} files and folders: not all of them were looked at")


def _entries(folder: Path, limit: int) -> list[os.DirEntry[str]]:
    """A folder's entries by name, at most `limit`."""
    with os.scandir(folder) as found:
        return sorted(islice(found, limit), key=lambda entry: entry.name)


def _visible(root: Path, folder: str, entry: os.DirEntry[str], notes: list[str]) -> str:
    """The name of an entry that counts, else ""; a note where its author may have meant it to count."""
    name = folder + entry.name
    if is_litter(entry.name):
        return ""
    is_folder = entry.is_dir(follow_symlinks=False)
    if len(name) > MAX_PATH_CHARS:
        notes += [f"{printable(name)}: left out: too long a path"] if is_folder or is_source(name) else []
    elif is_folder:
        if name.count("/") < MAX_DEPTH_FOLDERS:
            return f"{name}/"
        notes.append(f"{printable(name)}: folders are read {MAX_DEPTH_FOLDERS} deep, not further")
    elif entry.is_file(follow_symlinks=False) or (is_source(name) and _is_file_within(root, root / name)):
        return name
    elif is_source(name) or entry.is_symlink():
        notes.append(f"{printable(name)}: links, pipes and devices are not followed; hand in the file itself")
    return ""


def _is_file_within(root: Path, path: Path) -> bool:
    """Whether a link leads to a regular file of the submission."""
    target = real(path)
    return target.is_relative_to(root) and leads_to(target, stat.S_ISREG)
