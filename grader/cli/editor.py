"""`grade run --format editor`: the report, with the lines that an editor can jump to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from grader.cli.screen import render, width
from grader.cli.work import here

if TYPE_CHECKING:
    from grader.course import Course
    from grader.report import Report
    from grader.submission import Submission


def for_an_editor(course: Course, report: Report, submission: Path | None, show_output: bool) -> str:
    """The report as an editor reads it; where the grader failed there is no problem of the student's to jump to."""
    if not report.graded:
        return render(report, "plain", show_output)
    from grader.places import places
    from grader.render import editor
    from grader.submission import read_submission
    from grader.workspace import find_workspace

    path = submission or find_workspace(here())
    work = read_submission(path)
    known = places(work, [course.exercise(each.name) for each in report.exercises])
    return editor.render(
        report,
        known,
        files=[module.file for module in work.modules],
        folder=_folder(path, work),
        width=min(width(), 80),
        show_output=show_output,
    )


def _folder(path: Path, work: Submission) -> str:
    """What leads from here to the files of the submission."""
    from grader.layout import WORKSPACE

    inside = path / WORKSPACE if work.workspace else path if path.is_dir() else path.parent
    way = os.path.relpath(inside)
    return "" if way == os.curdir else f"{way}{os.sep}"
