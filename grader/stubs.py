"""Stubs: making them from solutions, and telling an unwritten function from a written one. Nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from grader.definitions import own_scope
from grader.source import parse

BEGIN = "### BEGIN SOLUTION"
END = "### END SOLUTION"


def make_stub(solution: str) -> str:
    """The solution with each marked part replaced by `raise NotImplementedError`. Raises ValueError for bad marks."""
    lines: list[str] = []
    inside = False
    for number, line in enumerate(solution.splitlines(keepends=True), 1):
        mark = line.strip()
        if mark in (BEGIN, END):
            if inside == (mark == BEGIN):
                raise ValueError(f"line {number}: {mark} where the other mark was expected")
            inside = mark == BEGIN
            if inside:
                lines.append(line.replace(BEGIN, "raise NotImplementedError"))
        elif not inside:
            lines.append(line)
    if inside or BEGIN not in solution:
        raise ValueError(f"expected a part between {BEGIN} and {END}")
    return "".join(lines)


def without_marks(solution: str) -> str:
    """The solution as one reads it."""
    lines = solution.splitlines(keepends=True)
    return "".join(line for line in lines if line.strip() not in (BEGIN, END))


def is_stub(source: str, function: str) -> bool:
    """Whether the last definition of `function` says nothing: empty, pass, ..., return None, NotImplementedError."""
    definitions = [
        node
        for node in own_scope(parse(source).body)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == function
    ]
    last = max(definitions, key=lambda node: node.lineno, default=None)
    return last is not None and all(map(_says_nothing, last.body))


def _says_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.Return(value=None | ast.Constant(value=None)):
            return True
        case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
    return False


def uses_any(source: str, functions: Sequence[str]) -> bool:
    """Whether the source does anything with one of `functions` but define or import it: by name, alias or attribute."""
    nodes = list(ast.walk(parse(source)))
    aliases = {
        alias.asname or alias.name
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in functions
    }
    return any(
        (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in aliases.union(functions))
        or (isinstance(node, ast.Attribute) and node.attr in functions)
        for node in nodes
    )
