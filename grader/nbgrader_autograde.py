"""Two preprocessors for nbgrader: one mends what students do to cells, the other grades in the place of running them.

The configuration that `grade nbgrader init` writes names them in nbgrader's own lists.
"""

from __future__ import annotations

import ast
import html
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

from nbclient.exceptions import DeadKernelError
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.preprocessors import Execute, NbGraderPreprocessor

from grader.crew import processors
from grader.desk import Desk
from grader.errors import CourseError, GraderError
from grader.source import find_fault, parse

MOST_DESKS = 2  # more share out three exercises no better
NOT_RUN = (
    "0 points: this cell is none of the grader's, and notebooks are not run here. "
    "Your instructor can turn on EXECUTE in nbgrader_config.py."
)


@cache
def desks() -> list[Desk]:
    """The desks for all the notebooks of a run: a second where a second processor would stand idle."""
    return [Desk() for _ in range(min(processors(), MOST_DESKS))]


class MendCells(NbGraderPreprocessor):
    """Before nbgrader looks at cells: each known cell is there once and as it was handed out, and no other is known.

    Copies, splits and strangers keep their code and lose nbgrader's metadata; a graded cell that was deleted comes back
    at the end.
    """

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Mend one notebook."""
        known = _known_cells(resources["nbgrader"])
        copies: dict[str, list[NotebookNode]] = {name: [] for name in known}
        for cell in nb.cells:
            given = cell.metadata.pop("nbgrader", None)
            name = given.get("grade_id") if isinstance(given, dict) else None
            if isinstance(name, str) and name in known:
                copies[name].append(cell)
        for name, found in copies.items():
            if found:
                _best(found, known[name]).metadata["nbgrader"] = known[name].metadata["nbgrader"]
            elif utils.is_grade(known[name]):
                nb.cells.append(known[name])
        return nb, resources


def _best(copies: list[NotebookNode], given: NotebookNode) -> NotebookNode:
    """Of a cell's copies the last, as nbgrader has it; of an answer the last that says something."""
    written = [cell for cell in copies if cell.source.strip() not in ("", given.source.strip())]
    return (written if utils.is_solution(given) and written else copies)[-1]


def _known_cells(at: dict[str, Any]) -> dict[str, NotebookNode]:
    """Every cell of the assignment that nbgrader knows, as it was handed out, by its id."""
    with Gradebook(at["db_url"]) as gradebook:
        notebook = gradebook.find_notebook(at["notebook"], at["assignment"])
        points = {cell.name: cell.max_score for cell in (*notebook.grade_cells, *notebook.task_cells)}
        graded = {cell.name for cell in notebook.grade_cells}
        tasks = {cell.name for cell in notebook.task_cells}
        solutions = {cell.name for cell in notebook.solution_cells}
        return {
            cell.name: _cell(
                cell, cell.name in graded, cell.name in solutions, cell.name in tasks, points.get(cell.name)
            )
            for cell in notebook.source_cells
        }


def _cell(source: Any, grade: bool, solution: bool, task: bool, points: float | None) -> NotebookNode:
    metadata = {
        "schema_version": 3,
        "grade_id": source.name,
        "grade": grade,
        "solution": solution,
        "task": task,
        "locked": source.locked,
        "cell_type": source.cell_type,
        "checksum": source.checksum,
    }
    metadata |= {} if points is None else {"points": points}
    code: dict[str, Any] = {"execution_count": None, "outputs": []} if source.cell_type == "code" else {}
    return NotebookNode(
        cell_type=source.cell_type, source=source.source, metadata=NotebookNode(nbgrader=NotebookNode(metadata)), **code
    )


class RunCells(Execute):
    """nbgrader's `Execute`, but that a notebook which ends its kernel goes on: what was not run gives nothing."""

    def preprocess(self, nb: NotebookNode, *rest: Any, **named: Any) -> tuple[NotebookNode, dict[str, Any]]:
        """Run one notebook."""
        self.replied: set[int] = set()
        try:
            run: tuple[NotebookNode, dict[str, Any]] = super().preprocess(nb, *rest, **named)
        except DeadKernelError:
            self.log.warning("The notebook ended its kernel: graded cells of your own that it did not finish get 0.")
            for index, cell in enumerate(nb.cells):
                if cell.cell_type == "code" and index not in self.replied:
                    cell.execution_count, cell.outputs = None, []
            return nb, rest[0] if rest else named["resources"]
        return run

    def on_cell_executed(self, **kwargs: Any) -> None:
        """Note a cell that was run to its end: the kernel answers for no other."""
        super().on_cell_executed(**kwargs)
        self.replied.add(kwargs["cell_index"])


class GradeCells(NbGraderPreprocessor):
    """Grades the functions found in a notebook's cells, and gives each graded cell its report and its points.

    It fails closed: a graded cell that is none of ours, and was not run by `Execute` before, gets 0 and says why.
    Where the grader itself fails it raises GraderError, so that nbgrader records nothing.
    """

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Grade one notebook."""
        code = [cell for cell in nb.cells if cell.cell_type == "code"]
        cells = [cell for cell in code if utils.is_grade(cell) and not utils.is_solution(cell)]
        asked = {cell.metadata.nbgrader.grade_id: _asked(cell.source) for cell in cells}
        parts = self._grade(nb, resources, {name for name in asked.values() if name})
        for cell in cells:
            part = parts.get(asked[cell.metadata.nbgrader.grade_id])
            if part:
                give(cell, part)
            elif cell.execution_count is None:
                give(cell, {"text": NOT_RUN, "html": f"<p>{html.escape(NOT_RUN)}</p>", "score": 0.0})
        return nb, resources

    def _grade(self, nb: NotebookNode, resources: dict[str, Any], names: set[str]) -> dict[str, Any]:
        if not names:
            return {}
        file = f"{resources['nbgrader']['notebook']}.ipynb"
        request = {"ask": "grade", "file": file, "notebook": nb, "hints": True}
        shares = [sorted(names)[first :: len(desks())] for first in range(len(desks()))]
        requests = [{**request, "exercises": share} for share in shares if share]  # none named would mean all of them
        with ThreadPoolExecutor(len(requests)) as pool:
            replies = list(pool.map(Desk.ask, desks(), requests))
        if not all(reply["graded"] for reply in replies):
            raise GraderError("the grader failed, so nothing is recorded", where=file, remedy="Run `grade verify`.")
        return {name: part for reply in replies for name, part in reply["exercises"].items()}


def _asked(source: str) -> str:
    """The exercise that a cell asks for: "softmax" of `import grader; grader.check("softmax")`; "" of any other."""
    if find_fault(source):
        return ""
    for node in ast.walk(parse(source)):
        match node:
            case ast.Call(ast.Attribute(ast.Name("grader"), "check"), [ast.Constant(str(name)) | ast.Name(name)]):
                return name
    return ""


def give(cell: NotebookNode, part: dict[str, Any]) -> None:
    """The cell's outputs as running it would have left them: the report, then the points as its last value."""
    most = float(cell.metadata.nbgrader.points)
    if part.get("max_score", most) != most:
        raise CourseError(
            [f"cell {cell.metadata.nbgrader.grade_id}: {most:g} points, but its exercise has {part['max_score']:g}"],
            where="the source notebook",
            remedy="Give both the same points, generate the assignment again, and autograde again.",
        )
    points = {"text/plain": repr(min(max(float(part["score"]), 0.0), most))}
    shown = {"text/plain": part["text"], "text/html": part["html"]}
    cell.execution_count = 1
    cell.outputs = [
        NotebookNode(output_type="display_data", data=shown, metadata={}),
        NotebookNode(output_type="execute_result", data=points, metadata={}, execution_count=1),
    ]
