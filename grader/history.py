"""The cells of a session in the order they were run, as many as can be graded."""

from __future__ import annotations

import ast

from grader.bounds import MAX_CODE_BYTES, MAX_NOTEBOOK_CELLS
from grader.definitions import assigned_names
from grader.errors import UsageError
from grader.source import find_fault, parse

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def bounded(texts: list[str]) -> list[str]:
    """The texts; of a very long session "" for the oldest that only define what later ones define again.

    So cells keep their numbers. Raises UsageError where it is too long even so.
    """
    spare = sum(map(len, texts)) - MAX_CODE_BYTES * 3 // 4  # characters; a few of them take more bytes than one
    kept = [*texts]
    for number in _defined_again(texts) if spare > 0 else ():
        if spare > 0:
            spare -= len(texts[number])
            kept[number] = ""
    if spare > MAX_CODE_BYTES // 4 or len(texts) > MAX_NOTEBOOK_CELLS:
        raise UsageError(
            "this session has run more code than is graded at once",
            remedy="Restart the kernel, run the cells you need, and check again.",
        )
    return kept


def _defined_again(texts: list[str]) -> list[int]:
    """The numbers of cells that only define what later cells define again, the oldest first."""
    defined: set[str] = set()
    found = []
    for number in reversed(range(len(texts))):
        names = _only_defines(texts[number])
        if names and names <= defined:
            found.append(number)
        defined |= names
    return found[::-1]


def _only_defines(text: str) -> set[str]:
    """The names that a cell of nothing but definitions and imports gives; none of any other cell."""
    if find_fault(text):
        return set()
    body = parse(text).body
    return assigned_names(body) if all(isinstance(statement, DEFINITIONS) for statement in body) else set()
