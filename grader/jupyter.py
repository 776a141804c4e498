"""`grader.check` and `grader.hint` in a notebook.

The name or the function only says which exercise is meant. What is graded is the source of the cells run so far, in a
program of its own: never the live object, and never in the kernel, which is the student's.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeAlias

from grader.desk import Desk
from grader.errors import GraderError, UsageError
from grader.history import bounded

Asked: TypeAlias = "str | Callable[..., Any]"

HERE = "this notebook"
REFUSED = 1e9  # more than any cell's points: nbgrader refuses it, records nothing, and keeps the grade there was
_DESK = Desk()


def check(exercise: Asked = "") -> float:
    """Grade one exercise, all of them where none is named, and show the report.

    `exercise` is its name or its function. The value is the points, for nbgrader to read as the cell's last.

    Raises GraderError where the grader fails; while nbgrader autogrades, the value is one it refuses to record, for
    a fault of the grader is neither a zero nor full marks.
    """
    try:
        return _checked(exercise)
    except GraderError as error:
        if os.environ.get("NBGRADER_EXECUTION") != "autograde":
            raise
        _show(f"The grader failed, not this submission, so no points are recorded.\n{error}")
        return REFUSED


def hint(exercise: Asked = "") -> None:
    """Show the next hint for what is wrong now, in the exercise named (or its function), or the first unsolved one."""
    _show(_ask("hint", exercise)["text"])


def _checked(exercise: Asked) -> float:
    reply = _ask("grade", exercise)
    for part in reply["exercises"].values():
        _show(part["text"], part["html"])
    if not reply["graded"]:
        raise GraderError("the grader failed here, not your code", remedy="`grade verify` says what is wrong.")
    return float(sum(part["score"] for part in reply["exercises"].values()))


def _ask(what: str, exercise: Asked) -> dict[str, Any]:
    name = exercise if isinstance(exercise, str) else getattr(exercise, "__name__", repr(exercise))
    request = {"ask": what, "file": HERE, "notebook": _so_far(), "exercises": [name] if name else [], "hints": False}
    return _DESK.ask(request)


def _so_far() -> dict[str, Any]:
    """The cells run so far as a notebook, so that `cell 3` is the one that Jupyter numbers [3]."""
    try:
        from IPython import get_ipython
    except ImportError:
        shell = None
    else:
        shell = get_ipython()
    if shell is None:
        raise UsageError("this is no notebook", remedy="In a terminal, `grade run --submission FILE` grades a file.")
    texts = bounded(shell.history_manager.input_hist_raw[1:])
    return {"cells": [{"cell_type": "code", "metadata": {}, "source": text} for text in texts]}


def _show(text: str, html: str = "") -> None:
    from IPython.display import display

    shown = {"text/plain": text} | ({"text/html": html} if html else {})
    display(shown, raw=True)
