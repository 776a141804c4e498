"""A course folder for nbgrader: the notebook, made from the lesson and the solutions, and its configuration.

What is graded stands in no notebook: a cell that gives points holds one line, and the points come from the grader.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from grader.course import Course, default_root
from grader.course import Exercise as Task
from grader.errors import CourseError, GraderError, UsageError
from grader.lesson import Exercise, Part, QuickCheck, Text, Written, read_lesson
from grader.question import LETTERS, Posed
from grader.quick_check import NAME as QUICK_CHECK
from grader.quick_check import VARIABLE, posed
from grader.workspace import fill

if TYPE_CHECKING:
    from nbformat import NotebookNode

ANSWER = f'# Your answer: put its letter between the quotes, then run this cell and the next.\n{VARIABLE} = ""'
WRITTEN = "written"
SCHEMA = 3  # of the metadata nbgrader 0.9 keeps with a cell
_GRADE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what nbgrader takes for one, and nbformat for a cell's id
_FOLDER = re.compile(r"\w[\w.-]*")


def init(course: Course, folder: Path, *, course_id: str, written: bool = True) -> list[Path]:
    """Write a working nbgrader course folder; the files written. Raises UsageError where the folder holds anything.

    Raises CourseError where the lesson or a solution cannot be made into a notebook, GraderError without nbgrader.
    """
    require("nbformat", "nbgrader")
    if not _FOLDER.fullmatch(course.name):
        problem = f"name: {course.name!r} names a folder in nbgrader. Use letters, digits, `-`, `_` and `.` only."
        raise CourseError([problem], where=str(course.root / "course.yml"))
    if not course_id.strip():
        raise UsageError("the course id is empty", remedy="Give --course-id a name, or leave it out.")
    import nbformat

    made = notebook(course, written=written)
    by_hand = any(cell.id == WRITTEN for cell in made.cells)
    texts = {
        "nbgrader_config.py": _configuration(course, course_id.strip()),
        f"source/{course.name}/{course.name}.ipynb": nbformat.writes(made) + "\n",
        ".gitignore": _IGNORED,
        "README.md": _readme(course, written=by_hand),
    }
    return fill(folder, texts)


def notebook(course: Course, *, written: bool = True) -> NotebookNode:
    """The source notebook made from the lesson and the solutions, with nbgrader's metadata.

    Exercises that the lesson gives no place follow at the end. Raises CourseError, and GraderError without nbformat.
    """
    require("nbformat")
    from nbformat import v4

    parts = read_lesson(course.lesson.read_text(encoding="utf-8"), where=str(course.lesson))
    cells = [cell for part in _placed(course, parts) for cell in _cells(course, part, written=written)]
    nodes = []
    for cell_id, cell in zip(_ids(course, cells), cells, strict=True):
        new: Any = v4.new_code_cell if cell.code else v4.new_markdown_cell
        nodes.append(new(cell.source, id=cell_id, metadata={"nbgrader": cell.grading} if cell.grading else {}))
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    made: NotebookNode = v4.new_notebook(cells=nodes, metadata=metadata, nbformat_minor=5)
    return made


def require(*packages: str) -> None:
    """Raises GraderError, which says what to install, where one of them is not there."""
    from importlib.metadata import packages_distributions
    from importlib.util import find_spec

    for package in packages:
        if find_spec(package) is None:
            ours = next(iter(packages_distributions().get("grader", ())), ".")
            raise GraderError(f"{package} is not installed here", remedy=f"pip install '{ours}[nbgrader]'")


# ── cells ──────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Cell:
    """One cell to be: its text, and what nbgrader is to know about it, if anything."""

    source: str
    code: bool = False
    grading: dict[str, str | int | float | bool] | None = None
    name: str = ""  # of a cell that nbgrader is to know nothing about

    @property
    def id(self) -> str:
        """What it is called by: nbgrader's name for it, or its own; "" where its section's will do."""
        return str(self.grading["grade_id"]) if self.grading else self.name


def _cells(course: Course, part: Part, *, written: bool) -> Iterator[_Cell]:
    """What one part of the lesson becomes."""
    match part:
        case Text():
            yield _Cell(_without_imports_in_blocks(course, part.markdown))
        case Exercise():
            task = course.exercise(part.name)
            yield _answer(task.name, notebook_code(course, task, task.solution.read_text(encoding="utf-8")))
            yield _check(task.name, task.points)
        case QuickCheck():
            question = posed(course, part)
            yield _Cell(_choices(question))
            yield _Cell(ANSWER, code=True, name=QUICK_CHECK)
            yield _check(QUICK_CHECK, 0.0)
        case Written() if written:
            yield _Cell(part.markdown)
            yield _Cell("YOUR ANSWER HERE", grading=_grading(WRITTEN, grade=True, solution=True, points=part.points))


def _answer(grade_id: str, source: str) -> _Cell:
    return _Cell(source, code=True, grading=_grading(grade_id, solution=True))


def _check(name: str, points: float) -> _Cell:
    grading = _grading(f"{name}-points", grade=True, locked=True, points=points)
    return _Cell(f'import grader; grader.check("{name}")', code=True, grading=grading)


def _grading(
    grade_id: str, *, grade: bool = False, locked: bool = False, solution: bool = False, points: float | None = None
) -> dict[str, str | int | float | bool]:
    """A cell's metadata, as nbgrader writes it."""
    worth = {} if points is None else {"points": points}
    flags = {"grade": grade, "locked": locked, "solution": solution, "task": False}
    return {"grade_id": grade_id, "schema_version": SCHEMA, **flags, **worth}


def _choices(question: Posed) -> str:
    lettered = zip(LETTERS, question.choices, strict=False)
    return "\n\n".join(f"**{letter}.** {choice.text}" for letter, choice in lettered)


def _placed(course: Course, parts: Sequence[Part]) -> list[Part]:
    """The parts, with every exercise in its place. Raises CourseError with the line of a place that cannot be."""
    known = [exercise.name for exercise in course.exercises]
    seen: set[str] = set()
    problems: list[str] = []
    for part in parts:
        if not isinstance(part, (Exercise, QuickCheck)):
            continue
        name = part.name if isinstance(part, Exercise) else QUICK_CHECK
        if isinstance(part, Exercise) and name not in known:
            problems.append(f"line {part.line}: there is no exercise {name!r}. The exercises are: {', '.join(known)}.")
        elif name in seen:
            problems.append(f"line {part.line}: {name!r} has its place already. Take one of its marks out.")
        seen.add(name)
    if problems:
        raise CourseError(problems, where=str(course.lesson))
    return [*parts, *(Exercise(name, 0) for name in known if name not in seen)]


def _ids(course: Course, cells: Sequence[_Cell]) -> Iterator[str]:
    """Each cell's id: its own, or its section's heading, numbered where that is taken."""
    named = [cell.id for cell in cells if cell.id]
    for name in named:
        if named.count(name) > 1 or not _GRADE_ID.fullmatch(name):
            problem = f"{name!r} cannot name one cell: it is there twice, or has more than letters, digits, - and _."
            raise CourseError([problem], where=str(course.root / "course.yml"), remedy="Rename the exercise.")
    taken = set(named)
    slug = "text"
    for cell in cells:
        slug = _slug(cell.source) or slug
        yield cell.id or _free(slug, taken)


def _slug(markdown: str) -> str:
    heading = re.match(r"#+ (.*)", markdown)
    return re.sub(r"[^a-z0-9]+", "-", heading[1].lower()).strip("-")[:60] if heading else ""


def _free(slug: str, taken: set[str]) -> str:
    name, number = slug, 1
    while name in taken:
        number += 1
        name = f"{slug}-{number}"
    taken.add(name)
    return name


# ── code ───────────────────────────────────────────────────────────────────────────────────────────


def notebook_code(course: Course, task: Task, source: str) -> str:
    """A module of the course as a cell: without its docstring and its imports of the other exercises' functions.

    In a notebook those are there already. Raises CourseError where they are imported in another way than by name.
    """
    body = ast.parse(source).body
    docstring = body[:1] if ast.get_docstring(ast.Module(body, []), clean=False) is not None else []
    others = {exercise.module for exercise in course.exercises if exercise is not task}
    imports = _imports(body, others)
    if any(alias.asname or alias.name == "*" for node in imports for alias in node.names):
        problem = f"{task.name}: another exercise's function under another name. Import it as `from … import name`."
        raise CourseError([problem], where=str(task.solution))
    return _without(source, [*docstring, *imports])


def _imports(body: Sequence[ast.stmt], modules: set[str]) -> list[ast.ImportFrom]:
    """The `from … import` statements of a module's top level that name one of `modules`, in whatever package."""
    found = [node for node in body if isinstance(node, ast.ImportFrom)]
    return [node for node in found if (node.module or "").rpartition(".")[2] in modules]


def _without(source: str, statements: Sequence[ast.stmt]) -> str:
    """The source without some of its statements, and without the blank lines before them; no other line changes."""
    lines = source.split("\n")
    for node in sorted(statements, key=lambda node: node.lineno, reverse=True):
        start = node.lineno - 1
        while start and not lines[start - 1].strip():
            start -= 1
        del lines[start : node.end_lineno]
    return "\n".join(lines).strip("\n")


def _without_imports_in_blocks(course: Course, markdown: str) -> str:
    """Code shown in the lesson is to run in the notebook too, where the exercises' functions are at hand."""
    modules = {exercise.module for exercise in course.exercises}

    def shown(block: re.Match[str]) -> str:
        try:
            imports = _imports(ast.parse(block[2]).body, modules)
        except SyntaxError:  # the lesson shows what it likes
            return block[0]
        return f"{block[1]}{_without(block[2], imports)}\n{block[3]}" if imports else block[0]

    return re.sub(r"^(```python\n)(.*?)^(```)", shown, markdown, flags=re.MULTILINE | re.DOTALL)


# ── files ──────────────────────────────────────────────────────────────────────────────────────────

_IGNORED = "gradebook.db\ngrades.csv\nsubmitted/\nautograded/\nfeedback/\n.grade/\n"

_CONFIGURATION = Template('''\
"""nbgrader's configuration for this course. nbgrader reads it in the folder it is started in."""

import os
import warnings
from pathlib import Path

# What SQLAlchemy says of nbgrader's own queries, once a student, is nothing you could mend.
warnings.filterwarnings("ignore", module="nbgrader")

# Whether nbgrader runs the students' notebooks.
#
# False: they are not run. Each function is read from its cells and graded in a confined program of its own, so a crash,
#        an endless loop or forged output costs that exercise only.
# True:  nbgrader runs them first. You need this where you add test cells of your own. A student's code then runs beside
#        the grading of your own cells, and can forge their points; where it ends the kernel, your cells from there on
#        get 0. The points of the cells made here are still not its to give: GradeCells comes after RunCells and puts in
#        what the confined program found.
EXECUTE = False

c = get_config()  # noqa: F821 - nbgrader defines it

# The name of this course, as students see it where you release and collect through nbgrader.
c.CourseDirectory.course_id = $course_id

# What students find in place of a solution: the very line that the exercises have as files.
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}

# Where a student has deleted a cell that gives points, nbgrader puts it back; otherwise its points stay open for ever.
c.OverwriteCells.add_missing_cells = True

# First, a submitted notebook is put in order. One line is not nbgrader's own: MendCells takes nbgrader's marks off
# cells that were copied or split, and puts back what was deleted, which would otherwise spoil the whole submission.
c.Autograde.sanitize_preprocessors = [
    "nbgrader.preprocessors.ClearOutput",
    "grader.nbgrader_autograde.MendCells",
    "nbgrader.preprocessors.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# Then it is graded: GradeCells fills in the points and the report of every cell made here, nbgrader records them.
c.Autograde.autograde_preprocessors = [
    *(["grader.nbgrader_autograde.RunCells"] if EXECUTE else []),
    "grader.nbgrader_autograde.GradeCells",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# Where notebooks are run: how many seconds one cell may take. RunCells is nbgrader's Execute, but for kernels that end.
c.ExecutePreprocessor.timeout = c.Execute.timeout = 300

# The seed of this course's hidden tests, made on first use. Keep it to yourself, and keep it: with another seed the
# tests draw other numbers. The folder is named in .gitignore.
os.environ.setdefault("GRADE_SEED_FILE", str(Path(__file__).with_name(".grade") / "seed"))
''')

_OWN_COURSE = Template("""
# The course that is graded: the folder with its course.yml.
os.environ.setdefault("GRADE_COURSE", $root)
""")

_README = Template("""\
# $title, for nbgrader

The notebook is `source/$name/$name.ipynb`. Its solutions are in it; do not hand it out.

## From notebook to marks

Run these in this folder, in this order:

1. `nbgrader generate_assignment $name` makes `release/$name/$name.ipynb`, without solutions. Hand that out. Put what
   comes back under `submitted/STUDENT/$name/$name.ipynb`, or let `nbgrader collect` or `nbgrader zip_collect` do so.
2. `nbgrader autograde $name` grades all submissions. To grade one again: `--student STUDENT --force`. For a large class
   `grade nbgrader batch .` does the same, many times faster, and goes on where it was stopped.
3. `jupyter lab`, then Nbgrader > Formgrader > Manual Grading: $by_hand
4. `nbgrader generate_feedback $name` writes `feedback/STUDENT/$name/$name.html`.
5. `nbgrader export` writes all marks to `grades.csv`.

$written

## Reading the feedback

Feedback is the student's own notebook with the points of each cell. Below a cell `grader.check(…)` stands the report of
that exercise: its checks, why some failed, and the mistakes that were recognised. Hidden tests are in no notebook, so
feedback shows none. Where the grader itself fails, `nbgrader autograde` says so and records nothing, since that is not
the student's fault: mend what it names and autograde again.

## Before you hand out

`nbgrader_config.py` says what each of its settings does. `.grade/seed` is made when something is first graded. It draws
the numbers of the hidden tests: keep a copy, and give it to nobody.
""")

_WITH_WRITTEN = """\
## The written answer

One cell is answered in words, and marked by hand: `written`. To keep it, change nothing. To drop it, make the folder
anew with `grade nbgrader init FOLDER --no-written`. Decide before you hand out: once there are submissions, nbgrader
lets no graded cell come or go."""

_WITHOUT_WRITTEN = """\
## The written answer

This notebook has none: every point comes from the grader. Where the lesson has a written question, a folder made with
`grade nbgrader init FOLDER --written` holds it. Decide before you hand out: once there are submissions, nbgrader lets
no graded cell come or go."""


def _configuration(course: Course, course_id: str) -> str:
    text = _CONFIGURATION.substitute(course_id=_quoted(course_id))
    if course.root == default_root().resolve():
        return text
    return text + _OWN_COURSE.substitute(root=_quoted(str(course.root)))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _readme(course: Course, *, written: bool) -> str:
    by_hand = "mark the written answers." if written else "look through the submissions, and comment where you like."
    section = _WITH_WRITTEN if written else _WITHOUT_WRITTEN
    return _README.substitute(name=course.name, title=course.title, by_hand=by_hand, written=section)
