"""A class's notebooks, graded by a batch, and put where `nbgrader autograde` would have put them.

    submitted ── put in order ──> notebook ── batch ──> record ┐
                                      └────── filled in ───────┴──> autograded/ and the gradebook

What is to be graded, how a notebook is put in order and what goes into the gradebook is nbgrader's to say, by its own
code and configuration; here it is only done once where nbgrader does it many times. A student's grades and notebooks
appear together, at the end: what was stopped on the way is done again by the same command.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbconvert.writers import FilesWriter  # type: ignore[attr-defined]
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import MissingEntry
from nbgrader.apps import AutogradeApp
from nbgrader.converters import Autograde, NbGraderException
from sqlalchemy.exc import OperationalError

from grader.errors import GraderError, SubmissionError, UsageError
from grader.nbgrader_autograde import GradeCells
from grader.nbgrader_gradebook import unusable
from grader.nbgrader_passage import Passage, class_of
from grader.platforms import Entry, shown
from grader.submission import read_cells

if TYPE_CHECKING:
    from nbgrader.api import Gradebook

    from grader.records import Record
    from grader.submission import Submission

CONFIGURATION = "nbgrader_config.py"


@dataclass(slots=True)
class Work:
    """What one student handed in, on its way."""

    student: str
    paths: list[str]  # of all notebooks
    waiting: set[str]  # notebooks without a result, by the name of their entry
    notebooks: dict[str, tuple[NotebookNode, dict[str, Any]]] = field(default_factory=dict)  # in order, with resources
    fault: str = ""


class ClassAutograde(Autograde):
    """nbgrader's converter in three steps: `entries`, each of them `read`, and its result `put` where it belongs.

    The gradebook is lent to all of nbgrader while it works (`one_gradebook`).
    """

    def open(self, book: Gradebook, assignment: str) -> int:
        """Find what was handed in; how many notebooks. Raises UsageError where there is nothing to grade."""
        self.book = book
        self.works: dict[str, Work] = {}
        self.failed: dict[str, str] = {}  # by student: why
        self.skipped = 0
        self.by_hand = 0  # submissions with answers that somebody has to mark
        self.aside = False
        self._find(assignment)
        self.writer = FilesWriter(parent=self, config=self.config)
        self.first = Passage(parent=self, config=self.config).through(self.sanitize_preprocessors)
        self.exporter = self.then = Passage(parent=self, config=self.config).through(self.autograde_preprocessors)
        return sum(map(len, self.assignments.values()))

    def names(self) -> set[str]:
        """Of all notebooks, also of those that were graded before: what `Entry.name` is."""
        return {self._name(path) for paths in self.assignments.values() for path in paths}

    def entries(self) -> Iterator[Entry]:
        """Every notebook that nbgrader would grade now; of a student without one it is noted that this failed."""
        for folder in sorted(self.assignments):
            work = self._begun(folder)
            if work is None:
                self.skipped += 1
                continue
            names = sorted(work.waiting)
            if not names:
                self._finish(work)
            for name in names:
                self.works[name] = work
                yield Entry(shown(work.student), name)

    def read(self, entry: Entry) -> Submission:
        """The notebook put in order, as it is to be graded. Raises SubmissionError where nbgrader cannot do that."""
        path = os.path.join(self.coursedir.root, entry.name)  # noqa: PTH118 - as nbgrader has it, for its expressions
        work = self.works[entry.name]
        try:
            resources = self.init_single_notebook_resources(path)
            notebook, resources = work.notebooks[entry.name] = self.first.from_filename(path, resources=resources)
        except Exception as error:  # whatever is wrong with a notebook is its student's alone
            work.fault = f"{type(error).__name__}: {error}"
            raise SubmissionError(work.fault, where=shown(entry.name)) from error
        return read_cells(f"{resources['unique_key']}.ipynb", json.dumps(notebook).encode())

    def put(self, entry: Entry, record: Record) -> None:
        """Take a result. With a student's last the grades and notebooks are written. Raises GraderError."""
        work = self.works.pop(entry.name)
        work.waiting.discard(entry.name)
        if not record["graded"]:
            work.fault = work.fault or _fault(record)
        elif entry.name in work.notebooks:
            work.notebooks[entry.name][1]["nbgrader"]["cells"] = record.get("cells", {})
        if not work.waiting:
            self._finish(work)

    def count_by_hand(self) -> None:
        """Count the submissions with answers that somebody has to mark, also of those graded before.

        What could not be graded waits for a mark, too, in the gradebook; but formgrader has no notebook to show of it.
        """
        name = self.coursedir.assignment_id
        waiting = (each for each in self.book.assignment_submissions(name) if each.needs_manual_grade)
        self.by_hand = sum(Path(self._format_dest(name, each.student_id)).is_dir() for each in waiting)

    def _find(self, assignment: str) -> None:
        """Find the notebooks. Raises UsageError where there are none, or they are not graded by us."""
        if GradeCells not in map(class_of, self.autograde_preprocessors):
            raise UsageError(
                "GradeCells is not in c.Autograde.autograde_preprocessors: these notebooks are not for the grader",
                where=CONFIGURATION,
                remedy="Take the list from a folder that `grade nbgrader init` makes, or run `nbgrader autograde`.",
            )
        try:
            self.book.find_assignment(assignment)
            self.coursedir.assignment_id = assignment
            self.init_notebooks()
        except MissingEntry as error:
            remedy = f"Run `nbgrader generate_assignment {assignment}` first, or name another with --assignment."
            raise UsageError(f"the gradebook knows no assignment {assignment!r}", remedy=remedy) from error
        except NbGraderException as error:
            remedy = "Notebooks belong into submitted/STUDENT/ASSIGNMENT/, where `nbgrader collect` puts them."
            raise UsageError(str(error), remedy=remedy) from error

    def _name(self, path: str) -> str:
        return os.path.relpath(path, self.coursedir.root)

    def _begun(self, folder: str) -> Work | None:
        """A student's work; None where nbgrader would not grade it again."""
        self.notebooks = sorted(self.assignments[folder])
        student = self.init_single_notebook_resources(self.notebooks[0])["nbgrader"]["student"]
        if not self.init_destination(self.coursedir.assignment_id, student):
            return None
        self.run_pre_convert_hook()
        return Work(student, self.notebooks, {self._name(path) for path in self.notebooks if self._is_known(path)})

    def _is_known(self, path: str) -> bool:
        """Whether the assignment has a notebook of this name: nbgrader passes over others."""
        try:
            self.book.find_notebook(Path(path).stem, self.coursedir.assignment_id)
        except MissingEntry:
            return False
        return True

    def _finish(self, work: Work) -> None:
        """Write down a student's grades and notebooks, or neither. Raises GraderError where no grades can be."""
        final = os.path.normpath(self._format_dest(self.coursedir.assignment_id, work.student))
        try:
            self._build(work)
            self.book.db().keep()
            Path(_beside(final)).rename(final)
            self.run_post_convert_hook()
        except OperationalError as error:
            raise unusable(error) from error
        except Exception as error:  # noqa: BLE001 - as for nbgrader it costs this student alone, and is said
            self.failed[work.student] = work.fault or f"{type(error).__name__}: {error}"
            self._undo(work)
        finally:
            self.book.db.rollback()
            shutil.rmtree(_beside(final), ignore_errors=True)

    def _build(self, work: Work) -> None:
        """All that nbgrader does for a student, beside the place where it belongs."""
        self.aside = True
        try:
            self._begin(work)
            if work.fault:
                raise GraderError(work.fault)
            for path in self.notebooks:
                self._fill_in(*work.notebooks[self._name(path)])
            self.set_permissions(self.coursedir.assignment_id, work.student)
        finally:
            self.aside = False

    def _begin(self, work: Work) -> None:
        """The student and the submission in the gradebook, and files that are no notebooks."""
        dest = self._format_dest(self.coursedir.assignment_id, work.student)
        shutil.rmtree(dest, ignore_errors=True)
        self.notebooks = work.paths
        self.init_assignment(self.coursedir.assignment_id, work.student)
        self.writer.build_directory = dest  # which makes it

    def _undo(self, work: Work) -> None:
        """Leave what nbgrader leaves where it fails: a submission without grades."""
        self.book.db.rollback()
        self.aside = True
        with suppress(Exception):
            self._begin(work)
        self.aside = False
        self.book.db().keep()

    def _fill_in(self, notebook: NotebookNode, resources: dict[str, Any]) -> None:
        """One notebook: its grades, and the file."""
        where = self._format_dest(self.coursedir.assignment_id, resources["nbgrader"]["student"])
        resources["metadata"]["path"] = where  # where a notebook would be run
        with utils.setenv(NBGRADER_EXECUTION="autograde"):
            notebook, resources = self.then.from_notebook_node(notebook, resources)
        text: str = nbformat.writes(notebook, version=self.then.nbformat_version)
        self.write_single_notebook(text + "\n", resources)

    def _format_dest(self, assignment_id: str, student_id: str, escape: bool = False) -> str:
        final: str = super()._format_dest(assignment_id, student_id, escape=escape)
        return _beside(os.path.normpath(final)) if self.aside else final


def _beside(final: str) -> str:
    """Where a student's work is put together: hidden, so that nbgrader takes it for no assignment."""
    folder, name = os.path.split(final)
    return os.path.join(folder, f".{name}.unfinished")  # noqa: PTH118 - names as raw as nbgrader has them


def _fault(record: Record) -> str:
    """Why the grader failed, in one line."""
    notes = [note for exercise in record["exercises"] for note in exercise["notes"]]
    return " ".join(notes[0].split()) if notes else "the grader failed; `grade verify` says why"


def class_autograde(folder: Path, *, force: bool) -> ClassAutograde:
    """The converter that the course's own configuration makes; `folder` is where the program is.

    Raises UsageError where it is no course of nbgrader, GraderError where its configuration fails.
    """
    if not (folder / CONFIGURATION).is_file():
        remedy = "Give the folder that `grade nbgrader init` made."
        raise UsageError(f"there is no {CONFIGURATION} in it", where=str(folder), remedy=remedy)
    app = AutogradeApp(raise_config_file_errors=True)
    try:
        app.initialize(["--quiet", *(["--force"] if force else [])])
    except (Exception, SystemExit) as error:  # it is a program of the instructor's: anything may go wrong
        raise GraderError(f"it cannot be loaded: {error}", where=CONFIGURATION, remedy="Mend it.") from error
    return ClassAutograde(coursedir=app.coursedir, parent=app)
