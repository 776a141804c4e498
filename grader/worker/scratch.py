"""Clearing away the folders that student code could write to. Runs on both sides, and imports nothing of ours."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from itertools import count
from pathlib import Path


def remove(folder: str) -> None:
    """Remove a folder that student code could write to, however deep it was made and whatever its modes are.

    What lies deeper is moved up before it is emptied, so that neither a path nor a stack grows with the depth.
    """
    with suppress(OSError):
        Path(folder).rmdir()  # most are empty
        return
    with suppress(OSError):
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            _empty(top)
        finally:
            os.close(top)
        Path(folder).rmdir()


def _empty(top: int) -> None:
    names = (f"{secrets.token_hex(8)}-{number}" for number in count())
    folders = _without_files(top)
    while folders:
        emptied = folders.pop()
        os.chmod(emptied, 0o700, dir_fd=top)
        inner = os.open(emptied, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
        try:
            for name in _without_files(inner):
                os.chmod(name, 0o700, dir_fd=inner)  # what may not be written cannot be moved
                folders.append(next(names))
                os.rename(name, folders[-1], src_dir_fd=inner, dst_dir_fd=top)
        finally:
            os.close(inner)
        os.rmdir(emptied, dir_fd=top)


def _without_files(folder: int) -> list[str]:
    """The names of the folders in an open folder, once all else is removed from it."""
    with os.scandir(folder) as entries:
        found = {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
    for name in (name for name, is_folder in found.items() if not is_folder):
        os.unlink(name, dir_fd=folder)
    return [name for name, is_folder in found.items() if is_folder]
