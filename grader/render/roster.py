"""Finding a class's students in a list that a teacher has: by what names them, and never by a guess."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from grader.render.characters import visible
from grader.render.lines import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Item = TypeVar("Item")

MOST_SHOWN = 3  # submissions, and students of the list, that are told apart
NOBODY = "none of these submissions is of anyone on the list"

_NUMBERED = re.compile(r"(.*)_(\d+)", re.DOTALL)


class Unfilled(ValueError):
    """No mark could be put into the file, which so would help nobody; `remedy` says what would."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.remedy = remedy


def squeezed(name: str) -> str:
    """A name as platforms have it in file names: lower case, without spaces and punctuation."""
    return re.sub(r"\W|_", "", unicodedata.normalize("NFC", name)).casefold()


def numbered(student: str) -> tuple[str, str]:
    """`Name_12345` as the name and the number; ("", "") for any other id."""
    found = _NUMBERED.fullmatch(student)
    return (found[1], found[2]) if found else ("", "")


def listed(pairs: Iterable[tuple[str, int]]) -> dict[str, set[int]]:
    """The rows that each key names; what names nobody is left out."""
    found: dict[str, set[int]] = {}
    for key, row in pairs:
        if key:
            found.setdefault(key, set()).add(row)
    return found


def sole(rows: set[int]) -> int | None:
    """The one row, None where there is none or a choice."""
    return next(iter(rows)) if len(rows) == 1 else None


def shared(found: Mapping[Item, str | int]) -> set[Item]:
    """Those of `found` that came to the same place as another."""
    places = Counter(found.values())
    return {item for item, place in found.items() if places[place] > 1}


def naming(sentence: str, students: Iterable[str]) -> tuple[str, ...]:
    """A note that names students, or none where there are none to name."""
    names = [one_line(visible(student)) for student in students]
    return (f"{sentence}: {'; '.join(names)}.",) if names else ()


def some(names: Sequence[str]) -> str:
    """The first few names, safe to show on one line, and how many more there are."""
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return ", ".join(one_line(visible(name)) for name in names[:MOST_SHOWN]) + more


def nobody(students: Sequence[str], known: Sequence[str]) -> str:
    """That none of the submissions is of anyone on the list: what they are called, and what the list has."""
    return f"{NOBODY}: the submissions are called {some(students)}; the list has {some(known) or 'nobody'}"
