"""The cells of a session in the order they were run, without those that were only run again."""

from __future__ import annotations

from grader.definitions import assigned_names
from grader.source import find_fault, parse


def without_repeats(texts: list[str]) -> list[str]:
    """The texts, "" where one was run before and none in between binds a name that it binds.

    So the last definition of a name stays the last, whatever was run again.
    """
    kept: list[str] = []
    last: dict[str, int] = {}  # text -> where it was last kept
    bound: dict[str, int] = {}  # name -> the number of the cell that bound it last
    for number, text in enumerate(texts):
        names = _names(text)
        if names is not None and text in last and all(bound[name] == last[text] for name in names):
            kept.append("")
            continue
        kept.append(text)
        last[text] = number
        bound.update(dict.fromkeys(names or (), number))
    return kept


def _names(text: str) -> set[str] | None:
    """The names it binds; None where it is no plain Python, and may bind any."""
    return None if find_fault(text) else assigned_names(parse(text).body)
