"""Which files of a folder or an archive count, and what their modules are called; only names are read."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from grader.bounds import MAX_NOTE_CHARS
from grader.source import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

WORKSPACE = "exercises"
SOURCE_SUFFIXES = (".py", ".ipynb")
ARCHIVE_SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".7z", ".rar")
SKIPPED_FOLDERS = frozenset({"__pycache__", "__MACOSX", "node_modules", "site-packages", "venv"})


def is_source(name: str) -> bool:
    """Whether a file of that name holds Python a student may hand in."""
    return name.lower().endswith(SOURCE_SUFFIXES)


def is_litter(path: str) -> bool:
    """Whether a part of a path is hidden, or an operating system's or a tool's: nobody answers with those."""
    return any(part.startswith(".") or part in SKIPPED_FOLDERS for part in path.split("/"))


def choose_sources(names: Iterable[str]) -> dict[str, str]:
    """The sources that count, each with its path as seen from the folder they are imported from.

    `names` are paths with slashes; a folder's ends in one. `exercises/` at the top is opened, and so is a
    folder that alone holds all sources, as deep as need be: an archive grades as the folder that was packed.
    """
    names = [name for name in names if not is_litter(name)]
    root = _root(names)
    return {name: name[len(root) :] for name in names if name.startswith(root) and is_source(name)}


def _root(names: list[str], root: str = "") -> str:
    """The folder, with its slash, that the modules stand in."""
    inside = [name for name in names if name.startswith(root)]
    workspace = f"{root}{WORKSPACE}/"
    if any(name.startswith(workspace) for name in inside):
        return workspace
    tops = {name.removeprefix(root).partition("/")[:2] for name in inside if is_source(name)}
    top, slash = tops.pop() if len(tops) == 1 else ("", "")
    return _root(inside, f"{root}{top}/") if slash else root


def packed_notes(names: Iterable[str]) -> list[str]:
    """A word on each archive among files that hold no source: it is not looked into."""
    packed = [name for name in names if name.lower().endswith(ARCHIVE_SUFFIXES) and not is_litter(name)]
    return [f"{name}: an archive inside of what is handed in is not opened; unpack it" for name in packed]


def name_modules(files: Iterable[str]) -> dict[str, str]:
    """Each file's dotted module name, fit to be shown and unique: where two files claim one, Python's choice gets it.

    "pkg/__init__.py" is "pkg", "pkg/tools.py" is "pkg.tools". The names of the others end in "_".
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for file in sorted(files, key=lambda file: (_precedence(file), file)):
        name = _dotted(file)
        while name in taken:
            name += "_"
        taken.add(name)
        names[file] = name
    return names


def _precedence(file: str) -> int:
    return 0 if file.endswith("/__init__.py") else 1 if file.lower().endswith(".py") else 2


def _dotted(file: str) -> str:
    path = PurePosixPath(file)
    parts = [*path.parts[:-1], path.stem.replace(".", "_")]  # a dot would make it a package
    if len(parts) > 1 and parts[-1] == "__init__":
        parts.pop()
    name = unicodedata.normalize("NFKC", ".".join(parts))  # as Python reads the names in an import
    return printable(name, MAX_NOTE_CHARS)
