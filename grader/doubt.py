"""Whose work should be looked at by hand, although it was graded by the rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from grader.records import Record

Part: TypeAlias = Mapping[str, Any]  # of a record: one exercise

MISSING = "missing-function"
# As notes.py words it: there is work that was not graded.
OTHER_WORK = re.compile(r" beside \S+ defines .+ as well, but only | is also defined in .+ was graded\.")
NO_FUNCTION = "there is no function in it that could be called"
MOST_OF_A_NOTE = 300  # characters


def doubt(record: Record) -> str:
    """Why a graded record should be looked at by hand; "" where nothing says so.

    A function that was not found costs its points rightly. But where something could not be read, or the function
    stands in another file, it may have been written all the same; and work in which none was found is rarely nothing.
    """
    exercises = record["exercises"] if record["graded"] else ()
    missing = [each for each in exercises if _is_missing(each)]
    notes = [note for each in missing for note in each["notes"]]
    notes += [
        note for each in exercises for note in each["notes"] if each["score"] < each["max_score"] and _other(note)
    ]
    why = notes[0] if notes else NO_FUNCTION if missing and len(missing) == len(exercises) else ""
    return why if len(why) <= MOST_OF_A_NOTE else f"{why[:MOST_OF_A_NOTE]} …"


def _other(note: str) -> bool:
    """Whether a note says that a function was found where it is not graded."""
    return OTHER_WORK.search(note) is not None


def _is_missing(exercise: Part) -> bool:
    """Whether there was nothing to call. Where a course keeps mistakes to itself, that no test could be run says so."""
    if exercise["mistakes"] or exercise["score"]:
        return any(mistake["code"] == MISSING for mistake in exercise["mistakes"])
    return bool(exercise["tests"]) and all(test["outcome"] == "skipped" for test in exercise["tests"])
