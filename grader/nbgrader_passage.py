"""nbgrader's preprocessors as a batch uses them: made once, and each notebook passed through in place."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbformat.v4.nbbase import random_cell_id  # type: ignore[attr-defined]
from nbgrader.preprocessors import CheckCellMetadata
from traitlets.utils.importstring import import_item

from grader.errors import UsageError
from grader.nbgrader_autograde import GradeCells

IDS_SINCE = 5  # minor version of the format 4


class GiveCells(GradeCells):
    """`GradeCells`, but that the grading is done: what each exercise's cells show is in `resources`."""

    def _grade(self, nb: NotebookNode, resources: dict[str, Any], names: set[str]) -> dict[str, Any]:  # noqa: ARG002
        cells: dict[str, Any] = resources["nbgrader"]["cells"]
        if strange := names - cells.keys():
            remedy = f"Correct it in the source notebook. The exercises are: {', '.join(sorted(cells))}."
            raise UsageError(f"a cell asks for {min(strange)!r}, which is no exercise of the course", remedy=remedy)
        return cells


class CheckNew(CheckCellMetadata):
    """`CheckCellMetadata`, but that what was found in order once is not looked at again."""

    def __init__(self, **rest: Any) -> None:
        super().__init__(**rest)
        self.found_right: set[str] = set()

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Check one notebook's metadata. Raises what nbgrader raises."""
        known = [(cell.cell_type, cell.metadata["nbgrader"]) for cell in nb.cells if "nbgrader" in cell.metadata]
        told_apart = json.dumps(known, sort_keys=True)
        if told_apart not in self.found_right:
            super().preprocess(nb, resources)
            self.found_right.add(told_apart)
        return nb, resources


STAND_INS = {GradeCells: GiveCells, CheckCellMetadata: CheckNew}


class Passage(NotebookExporter):
    """Passes a notebook through preprocessors: the notebook itself, not a copy after each, and not as text."""

    def through(self, names: Iterable[Any]) -> Passage:
        """The passage with these of nbgrader's configuration, ours in the place of some."""
        for name in names:
            made = class_of(name)
            self.register_preprocessor(STAND_INS.get(made, made))
        return self

    def _init_preprocessors(self) -> None:
        """None yet: nbgrader, too, uses those of its own lists alone."""
        self._preprocessors = []

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **_: Any
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Preprocess one notebook. Raises ValidationError where that leaves no notebook."""
        passed = self._init_resources(resources)
        for preprocessor in self._preprocessors:
            nb, passed = preprocessor(nb, passed)
        if nb.nbformat_minor >= IDS_SINCE:
            for cell in nb.cells:  # those that were put back have none yet
                cell.setdefault("id", random_cell_id())
        nbformat.validate(nb, relax_add_props=True)
        return nb, passed


def class_of(name: Any) -> Any:
    """The preprocessor that a configuration names, which may also name itself."""
    return import_item(name) if isinstance(name, str) else name
