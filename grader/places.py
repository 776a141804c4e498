"""Where in a submission each function is defined, for what failed to be shown there."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeGuard

from grader.definitions import FUNCTIONS, own_scope
from grader.source import find_fault, parse
from grader.submission import locate

if TYPE_CHECKING:
    from grader.course import Exercise
    from grader.submission import Module, Submission

Place = tuple[str, int]  # a file, as the report calls it, and a line from 1


def places(submission: Submission, exercises: Iterable[Exercise]) -> dict[str, Place]:
    """By exercise the place of its function; the first line of its file where it is not defined or not readable."""
    return {exercise.name: _place(submission, exercise) for exercise in exercises}


def _place(submission: Submission, exercise: Exercise) -> Place:
    module = locate(submission, exercise.module, exercise.function)
    if module is None:  # then it is to be written where all else is, or into the file that is called so
        return (submission.modules[0].file if len(submission.modules) == 1 else exercise.stub.name), 1
    return module.file, _line(module, exercise.function)


def _line(module: Module, function: str) -> int:
    """The line of the last definition, or at which Python gave up; 1 in a notebook, whose lines no editor counts."""
    if module.cells:
        return 1
    if fault := find_fault(module.text):
        return max(fault.line, 1)
    nodes = own_scope(parse(module.text).body)
    return max((node.lineno for node in nodes if _binds(node, function)), default=1)


def _binds(node: ast.AST, function: str) -> TypeGuard[ast.stmt | ast.Name]:
    if isinstance(node, ast.Name):
        return node.id == function and isinstance(node.ctx, ast.Store)
    return isinstance(node, FUNCTIONS) and node.name == function
