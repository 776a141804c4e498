"""What of a notebook one function needs: its definition, and whatever that refers to, directly or not.

A notebook runs statement by statement, and one that fails costs only itself. One that never ends, or ends the process,
takes the others with it, so the notebook is then read once more without what the function does not need.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from grader.definitions import assigned_names
from grader.source import Module, parse

if TYPE_CHECKING:
    from collections.abc import Iterator


def needed_by(module: Module, function: str) -> Module | None:
    """The module with `pass` for every statement that `function` does not need; None where it needs them all.

    Imports are kept. So is what changes something needed: `TABLE["a"] = 1`, `limits.append(2)`.
    """
    statements = parse(module.text).body
    kept = _kept(statements, function)
    dropped = [statement for statement in statements if statement not in kept]
    if not dropped:
        return None
    lines = [line.encode() for line in module.text.split("\n")]  # ast counts columns in bytes of UTF-8
    for statement in reversed(dropped):
        blank(lines, statement)
    return replace(module, text=b"\n".join(lines).decode())


def blank(lines: list[bytes], statement: ast.stmt, instead: str = "pass") -> None:
    """Put `instead` in place of a statement, and nothing in place of its further lines."""
    decorators = getattr(statement, "decorator_list", [])
    start = decorators[0].lineno if decorators else statement.lineno
    first, last = start - 1, (statement.end_lineno or statement.lineno) - 1
    rest = lines[last][statement.end_col_offset :]
    lines[first : last + 1] = [lines[first][: statement.col_offset] + instead.encode() + rest, *[b""] * (last - first)]


def _kept(statements: list[ast.stmt], function: str) -> set[ast.stmt]:
    kept: set[ast.stmt] = {statement for statement in statements if isinstance(statement, ast.Import | ast.ImportFrom)}
    imported = {alias.asname or alias.name for each in kept for alias in getattr(each, "names", ())}
    needed, before = {function}, set[str]()
    while needed != before:
        before = set(needed)
        for statement in statements:
            if statement not in kept and needed & {*assigned_names([statement]), *_changed(statement)}:
                kept.add(statement)
                needed |= _used(statement) - imported
    return kept


def _used(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def _changed(statement: ast.stmt) -> Iterator[str]:
    """The names of what a statement changes in place: by an attribute, an item, or a method called for its effect."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            yield from _root(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield from _root(node.value.func) if isinstance(node.value.func, ast.Attribute) else ()


def _root(node: ast.expr) -> Iterator[str]:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
