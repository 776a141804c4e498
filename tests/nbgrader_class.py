"""A course for nbgrader with all that students do to notebooks, for the tests of both ways to autograde it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

NAME = "attention"
EXERCISES = ("softmax", "causal_mask", "attention")
DUE = "2026-01-10 12:00:00 UTC"

# ── what students hand in ──────────────────────────────────────────────────────────────────────────

SOFTMAX = """import numpy as np


def softmax(x, axis=-1):
    scores = x.astype(np.result_type(x, np.float32))
    with np.errstate(over="ignore"):
        shifted = scores - scores.max(axis=axis, keepdims=True)
    return np.exp(shifted) / np.exp(shifted).sum(axis=axis, keepdims=True)
"""
MASK = "import numpy as np\n\n\ndef causal_mask(seq_len):\n    return np.tri(seq_len, dtype=bool)\n"
ATTENTION = """import numpy as np


def attention(Q, K, V, mask=None):
    scores = (Q.astype(np.float64) / np.sqrt(Q.shape[1])) @ K.T
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores) @ V
"""
UNSCALED = ATTENTION.replace(" / np.sqrt(Q.shape[1])", "")
MASKED_LATE = ATTENTION.replace(
    "    if mask is not None:\n        scores = np.where(mask, scores, -np.inf)\n    return softmax(scores) @ V",
    "    weights = softmax(scores)\n    if mask is not None:\n        weights = weights * mask\n    return weights @ V",
)
OVERFLOWS = SOFTMAX.replace("scores - scores.max(axis=axis, keepdims=True)", "scores")
LOOPS = "import numpy as np\n\n\ndef softmax(x, axis=-1):\n    while True:\n        pass\n"
ENDS = "import os\nos._exit(0)"
WARNS = "import sys, warnings\nwarnings.warn('loud')\nnp.exp(np.array([1e4]))\nprint('red', file=sys.stderr)\n"


class Work:
    """A student's notebook, made from the one that was released."""

    def __init__(self, released: Any) -> None:
        self.notebook = nbformat.from_dict(json.loads(json.dumps(released)))
        self.write(softmax=SOFTMAX, causal_mask=MASK, attention=ATTENTION)

    def cell(self, grade_id: str) -> Any:
        """The cell that nbgrader knows by that id."""
        return next(c for c in self.notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == grade_id)

    def place(self, grade_id: str) -> int:
        """Its number among all cells."""
        return self.notebook.cells.index(self.cell(grade_id))

    def write(self, **sources: str) -> None:
        """New text in cells, by their ids."""
        for grade_id, source in sources.items():
            self.cell(grade_id).source = source

    def add(self, source: str, before: str = "softmax", **metadata: Any) -> None:
        """A new cell in front of another."""
        cell = nbformat.v4.new_code_cell(source, metadata=metadata)
        self.notebook.cells.insert(self.place(before), cell)

    def remove(self, *grade_ids: str) -> None:
        """Cells deleted."""
        for grade_id in grade_ids:
            del self.notebook.cells[self.place(grade_id)]

    def copy(self, grade_id: str) -> None:
        """The cell twice, metadata and all, as a notebook's copy and paste leaves it."""
        twin = nbformat.from_dict(json.loads(json.dumps(self.cell(grade_id))))
        twin["id"] = f"{grade_id}-twin"
        self.notebook.cells.insert(self.place(grade_id) + 1, twin)


def split(work: Work) -> None:
    """A cell cut in two, both with its metadata."""
    helper = (
        "import numpy as np\n\n\ndef shifted(scores, axis):\n    return scores - scores.max(axis=axis, keepdims=True)\n"
    )
    work.copy("softmax")
    first = work.place("softmax")
    work.notebook.cells[first].source = helper
    work.notebook.cells[first + 1].source = OVERFLOWS.replace(
        "shifted = scores", "shifted = globals()['shifted'](scores, axis)"
    )


def tampered(work: Work) -> None:
    """Metadata edited by hand: the test cell ungraded and unlocked, the answer locked, an id of one's own."""
    work.cell("softmax-points").metadata.nbgrader.update(grade=False, locked=False)
    work.cell("softmax-points").metadata.nbgrader.pop("points")
    work.cell("attention-points").metadata.nbgrader.update(points=500)
    work.add("x = 1", nbgrader={"grade_id": "mine", "grade": True, "points": 100, "locked": True, "solution": False})
    work.add("x = 2", nbgrader={})
    work.add("x = 3", nbgrader="nonsense")


@dataclass(frozen=True)
class Student:
    """What one does to the released notebook, and what stock nbgrader makes of it where that differs from ours."""

    change: Callable[[Work], Any]
    stock: str = "same"  # same | fails (its kernel does not survive it) | fooled (it gives more)


STUDENTS = {
    "full": Student(lambda work: None),
    "unscaled": Student(lambda work: work.write(attention=UNSCALED)),
    "masked-late": Student(lambda work: work.write(attention=MASKED_LATE)),
    "overflows": Student(lambda work: work.write(softmax=OVERFLOWS)),
    "stub": Student(lambda work: work.write(causal_mask="def causal_mask(seq_len):\n    raise NotImplementedError\n")),
    "nothing-done": Student(
        lambda work: work.write(**{name: f"def {name}(*args):\n    raise NotImplementedError" for name in EXERCISES})
    ),
    "syntax-error": Student(lambda work: work.write(attention=ATTENTION.replace(":\n", "\n", 1))),
    "loops-when-called": Student(lambda work: work.write(softmax=LOOPS)),
    "loops-at-once": Student(lambda work: work.add("while True: pass")),
    "ends-the-kernel": Student(lambda work: work.add(ENDS, "attention"), stock="fails"),
    "edited-test-cell": Student(lambda work: work.write(**{"softmax-points": "30.0", "softmax": OVERFLOWS})),
    "forged-grader": Student(
        lambda work: (
            work.write(softmax=OVERFLOWS),
            work.add("import sys, types\nsys.modules['grader'] = types.SimpleNamespace(check=lambda name: 20.0)"),
        ),
        stock="fooled",
    ),
    "copied-cells": Student(
        lambda work: [work.copy(name) for name in ("softmax", "softmax-points", "attention-points")]
    ),
    "split-cell": Student(split),
    "emptied-cell": Student(lambda work: work.write(causal_mask="")),
    "deleted-test-cell": Student(lambda work: work.remove("attention-points")),
    "deleted-cells": Student(lambda work: work.remove("causal_mask", "causal_mask-points")),
    "no-softmax": Student(lambda work: work.remove("softmax")),
    "broken-softmax-cell": Student(lambda work: work.write(softmax=SOFTMAX.replace(":\n", "\n", 1))),
    "answered-in-a-copy": Student(lambda work: (work.copy("written"), work.write(written="It is not the same."))),
    "loud": Student(lambda work: work.write(softmax=SOFTMAX + WARNS)),
    "tampered-metadata": Student(tampered),
    "late": Student(lambda work: work.write(attention=UNSCALED)),
}


# ── the course ─────────────────────────────────────────────────────────────────────────────────────


def command(folder: Path, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """An nbgrader command in a course folder, in the environment activated: nbgrader looks for alembic on the path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *words],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert not check or done.returncode == 0, done.stderr[-3000:]
    return done


def make_class(folder: Path) -> Path:
    """Make a course folder as `grade nbgrader init` makes it, with an assignment released and handed in by all."""
    made = subprocess.run(
        [sys.executable, "-m", "grader", "nbgrader", "init", str(folder)], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    command(folder, "generate_assignment", NAME)
    command(folder, "db", "assignment", "add", NAME, f"--duedate={DUE}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        released = nbformat.read(folder / "release" / NAME / f"{NAME}.ipynb", as_version=4)
        for name, student in STUDENTS.items():
            work = Work(released)
            student.change(work)
            place = folder / "submitted" / name / NAME
            place.mkdir(parents=True)
            (place / f"{NAME}.ipynb").write_text(json.dumps(work.notebook), encoding="utf-8")
            day = "11" if name == "late" else "09"
            (place / "timestamp.txt").write_text(f"2026-01-{day} 12:00:00 UTC\n")
    return folder


def gradebook(folder: Path) -> dict[str, dict[str, Any]]:
    """Student -> exercise -> points, as the gradebook has them; and how many seconds late."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        return {
            submission.student.id: {
                grade.name.removesuffix("-points"): grade.auto_score
                for notebook in submission.notebooks
                for grade in notebook.grades
            }
            | {"late": submission.total_seconds_late}
            for submission in book.assignment_submissions(NAME)
        }
