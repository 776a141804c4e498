"""Paths in the commands that are shown to be pasted."""

from __future__ import annotations

import os
import shlex
from pathlib import Path


def pasted(folder: Path) -> str:
    """A folder as a word for the shell: not an option, and in bash's own notation where it is not text."""
    path = f"./{folder}" if str(folder).startswith("-") else str(folder)
    if path.isprintable():
        return shlex.quote(path)
    plain = set(range(32, 127)) - set(b"'\\")
    return "$'" + "".join(chr(each) if each in plain else f"\\x{each:02x}" for each in os.fsencode(path)) + "'"
