"""What a shell completes that is not written in the command itself. A Tab runs nothing of a course's."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from grader.course import Course


def exercise_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The exercises of the course that begin so, without those that stand there already; none where it is faulty."""
    course = _course(ctx)
    return _fitting((each.name for each in course.exercises) if course else (), ctx, param, incomplete)


def experiment_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The course's experiments that begin so; none where they cannot be read."""
    course = _course(ctx)
    return _fitting(_experiments(course.experiments) if course and course.experiments else (), ctx, param, incomplete)


def topics(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The topics of the course's questions that begin so, without those named already; none where they are faulty."""
    course = _course(ctx)
    return _fitting(_topics(course.quiz) if course and course.quiz else (), ctx, param, incomplete)


def _course(ctx: click.Context) -> Course | None:
    from grader.cli.work import course_at
    from grader.errors import GraderError

    named = ctx.params.get("course_path")
    try:
        return course_at(Path(named) if named else None)
    except GraderError:
        return None


def _fitting(names: Iterable[str], ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    given = ctx.params.get(param.name or "") or ()
    return [name for name in names if name.startswith(incomplete) and name not in given]


def _experiments(file: Path) -> list[str]:
    """The keys of EXPERIMENTS, as they are written."""
    try:
        body = ast.parse(file.read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return []
    tables = [node.value for node in body if isinstance(node, ast.Assign) and _names(node.targets) == ["EXPERIMENTS"]]
    keys = [key for table in tables if isinstance(table, ast.Dict) for key in table.keys]
    return [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]


def _names(targets: Iterable[ast.expr]) -> list[str]:
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _topics(folder: Path) -> list[str]:
    from grader.course import read_yaml
    from grader.errors import GraderError

    questions: list[Any] = []
    for file in sorted(folder.glob("*.yml")):
        try:
            questions += read_yaml(file) or []
        except (OSError, TypeError, GraderError):
            return []
    named = (item.get("topic") for item in questions if isinstance(item, dict))
    return list(dict.fromkeys(topic for topic in named if isinstance(topic, str)))
