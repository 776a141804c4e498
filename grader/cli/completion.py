"""What a shell completes that is not written in the command itself."""

from __future__ import annotations

from pathlib import Path

import click


def exercise_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The exercises of the course that begin so, without those that stand there already; none where it is faulty."""
    from grader.cli.work import course_at
    from grader.errors import GraderError

    named = ctx.params.get("course_path")
    try:
        course = course_at(Path(named) if named else None)
    except GraderError:
        return []
    given = ctx.params.get(param.name or "") or ()
    return [each.name for each in course.exercises if each.name.startswith(incomplete) and each.name not in given]
