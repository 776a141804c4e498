"""A notebook without a statement that never ends.

A notebook runs statement by statement, and one that fails costs only itself. One that never ends, or ends the process,
takes the others with it, so the notebook is then run again without it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from grader.source import Module, parse


def without(module: Module, statements: Sequence[int]) -> Module:
    """The notebook with `pass` in place of the statements of these numbers, from 0; lines keep their numbers."""
    lines = [line.encode() for line in module.text.split("\n")]  # ast counts columns in bytes of UTF-8
    body = parse(module.text).body
    for number in sorted(statements, reverse=True):  # from the end: what stands before keeps its place
        blank(lines, body[number])
    return replace(module, text=b"\n".join(lines).decode())


def blank(lines: list[bytes], statement: ast.stmt, instead: str = "pass") -> None:
    """Put `instead` in place of a statement, and nothing in place of its further lines."""
    decorators = getattr(statement, "decorator_list", [])
    start = decorators[0].lineno if decorators else statement.lineno
    first, last = start - 1, (statement.end_lineno or statement.lineno) - 1
    rest = lines[last][statement.end_col_offset :]
    lines[first : last + 1] = [lines[first][: statement.col_offset] + instead.encode() + rest, *[b""] * (last - first)]


def goes_on_from(text: str, before: str) -> bool:
    """Whether a notebook begins with all the statements of another. Neither has a fault."""
    if not text.startswith(before):
        return False
    first, second = parse(before).body, parse(text).body
    return [ast.dump(each) for each in first] == [ast.dump(each) for each in second[: len(first)]]
