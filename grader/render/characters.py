"""What may reach a screen: a submission's text is a stranger's, and a terminal obeys what it is sent."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar, cast

Record = TypeVar("Record")

# ECMA-48: CSI sequences (colours, cursor), also with the one-character C1 introducer; OSC (titles, links).
# Each ends where another begins, and nothing is given back: the time taken grows as the text does.
_SEQUENCE = re.compile(r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d\n]*+(?:\x07|\x1b\\|\x9c)")
_NOT_ASCII_PRINTABLE = re.compile(r"[^\n -~]+")


def visible(text: str) -> str:
    r"""`text` with escape sequences removed and all else that does not print written as Python writes it.

    What prints is `str.isprintable`'s answer, so control characters, bidirectional controls and lone
    surrogates come out as `\x07`, `\u202e` and `\ud800`. Line ends become `\n`, tabs become spaces.
    """
    text = _SEQUENCE.sub("", text).replace("\r\n", "\n").replace("\r", "\n").expandtabs(4)
    return _NOT_ASCII_PRINTABLE.sub(lambda found: "".join(map(_shown, found[0])), text)


@lru_cache(maxsize=4_096)
def _shown(character: str) -> str:
    if character.isprintable():
        return character
    # Unicode's wide and narrow spaces are harmless; U+2028 and U+2029 would break the line.
    if character.isspace() and character > "\x9f" and character not in "\u2028\u2029":
        return " "
    return character.encode("unicode_escape").decode("ascii")


def cleaned(record: Record) -> Record:
    """A record with every string in it made `visible`, however deep."""
    return cast("Record", _cleaned(record))


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, tuple):
        return tuple(map(_cleaned, value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: _cleaned(getattr(value, each.name)) for each in fields(value)})
    return value
