"""Writing a report to a file, whole or not at all."""

from __future__ import annotations

from pathlib import Path

from grader.errors import GraderError, UsageError


def check_writable(path: Path) -> None:
    """Say before any work is done that its result could not be written."""
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else "lies in a folder that does not exist"
        raise UsageError(f"it cannot be written: this {what}", where=str(path), remedy="Choose another file.")


def write(path: Path, text: str | bytes) -> None:
    """Write whole or not at all; a pipe or a device is written to as it is, and a link is followed."""
    import tempfile

    data = text.encode() if isinstance(text, str) else text
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        path = path.resolve()  # not before: of a pipe or a device this need not be a path
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=".grade-", delete=False) as unfinished:
            unfinished.write(data)
        Path(unfinished.name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        Path(unfinished.name).replace(path)
    except OSError as error:
        where = str(path)
        raise GraderError(f"cannot write: {error.strerror}", where=where, remedy="Choose another file.") from error
