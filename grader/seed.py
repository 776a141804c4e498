"""The seed of marks that count: the instructor's own, made on first use, kept to themselves, shown by its digest."""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING

from grader.errors import GraderError

if TYPE_CHECKING:
    from pathlib import Path


def secret_seed(path: Path) -> int:
    """The whole number in the file, which is made, readable by its owner alone, where it is not there yet.

    Raises GraderError where it cannot be read or made, or is no seed.
    """
    try:
        if not path.exists():
            _make(path)
    except OSError as error:
        remedy = "Make its folder writable, or give a seed of your own: --seed N."
        raise GraderError(f"no seed can be kept there: {error.strerror}", where=str(path), remedy=remedy) from error
    try:
        return _read(path)
    except (OSError, ValueError) as error:
        raise GraderError(
            f"the course's seed cannot be read: {error}",
            where=str(path),
            remedy="It is one whole number. Put a copy back, or remove the file: a new one draws other numbers.",
        ) from error


def _make(path: Path) -> None:
    """Make the file whole or not at all, and once: of two that make it at a time one is first, and both read it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, unfinished = tempfile.mkstemp(dir=path.parent)  # its owner's alone
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{secrets.randbits(62)}\n")
        with suppress(FileExistsError):
            path.hardlink_to(unfinished)
    finally:
        os.unlink(unfinished)  # noqa: PTH108 - a name, not a path


def _read(path: Path) -> int:
    seed = int(path.read_text(encoding="ascii"))
    if seed < 0:
        raise ValueError(f"{seed} is below 0")
    return seed


def digest(seed: int) -> int:
    """What may be shown of a secret seed: the first 32 bits of its SHA-256."""
    return int(hashlib.sha256(str(seed).encode()).hexdigest()[:8], 16)
