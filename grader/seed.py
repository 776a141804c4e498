"""The seed of marks that count: the instructor's own, made on first use, kept to themselves, shown by its digest."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING

from grader.errors import GraderError

if TYPE_CHECKING:
    from pathlib import Path

FILE_VARIABLE = "GRADE_SEED_FILE"  # names the file that holds it; nbgrader's configuration sets it


def secret_seed(path: Path) -> int:
    """The whole number in the file, which is made, readable by its owner alone, where it is not there yet."""
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            path.write_text(f"{secrets.randbits(62)}\n", encoding="ascii")
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError) as error:
        raise GraderError(
            f"the course's seed cannot be read: {error}",
            where=str(path),
            remedy="It is one whole number. Without it, marks given before cannot be given again.",
        ) from error


def digest(seed: int) -> int:
    """What may be shown of a secret seed: the first 32 bits of its SHA-256."""
    return int(hashlib.sha256(str(seed).encode()).hexdigest()[:8], 16)
