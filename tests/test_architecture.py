"""The house keeps its plan: imports point down, the engine knows no exercise by name, start-up stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from grader.course import Course

GRADER = Path(__file__).parents[1] / "grader"
KNOWLEDGE = {"suites", "mistakes", "experiments"}

# From the bottom up: a module may import what stands in a lower floor, or beside it on its own.
FLOORS = [
    {"errors", "report", "records", "finding", "spelling"},
    {
        "bounds",
        "source",
        "layout",
        "definitions",
        "stubs",
        "answers",
        "course",
        "lesson",
        "model",
        "state",
        "slicing",
        "history",
        "question",
        "bank",
        "seed",
        "desk",
        "platforms",
        "class_summary",
        "doubt",
        "movement",
        "progress",
        "changes",
        "saves",
    },
    {
        "archive",
        "folder",
        "notebook",
        "submission",
        "handed_in",
        "class_zip",
        "suite_runner",
        "diagnosis",
        "worker",
    },
    {"notes", "evidence", "what_if", "maps", "isolation", "job"},
    {"rehearsal"},
    {"attempt"},
    {"naming"},
    {"grading"},
    {"likeness", "ledger", "crew", "cluster"},
    {"batch"},
    {
        "hints",
        "deck",
        "quiz",
        "quiz_export",
        "proof",
        "verify",
        "explore",
        "workspace",
        "welcome",
        "vscode",
        "continuous",
        "places",
        "render",
        "quick_check",
        "watch",
        "service",
        "jupyter",
        "nbgrader_autograde",
        "nbgrader_course",
        "nbgrader_gradebook",
        "nbgrader_passage",
        "nbgrader_batch",
    },
    {"cli"},
    {"__main__", "__init__"},
]


def modules() -> dict[str, Path]:
    files = [path for path in GRADER.rglob("*.py") if path.relative_to(GRADER).parts[0] not in KNOWLEDGE]
    return {".".join(path.relative_to(GRADER).with_suffix("").parts): path for path in files}


def imports(path: Path) -> set[str]:
    """The modules of ours that a file imports, also late ones, by their name below `grader`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "grader":
            below = (node.module or "").removeprefix("grader").removeprefix(".")
            found |= {below} if below else {alias.name for alias in node.names if not alias.name.startswith("__")}
        elif isinstance(node, ast.Import):
            found |= {alias.name.removeprefix("grader.") for alias in node.names if alias.name.startswith("grader.")}
    return found


def floor(module: str) -> int:
    room = module.partition(".")[0]
    return next(number for number, rooms in enumerate(FLOORS) if room in rooms)


@pytest.mark.parametrize("module", sorted(modules()))
def test_imports_point_down(module: str) -> None:
    """No module imports from a floor above its own."""
    above = {name for name in imports(modules()[module]) if floor(name) > floor(module)}
    assert not above, f"{module} imports {above} from above"


def test_there_are_no_cycles() -> None:
    """Following imports never leads back."""
    graph = {module: imports(path) & set(modules()) for module, path in modules().items()}
    done: set[str] = set()

    def visit(module: str, way: tuple[str, ...]) -> None:
        assert module not in way, " -> ".join((*way, module))
        if module not in done:
            for name in graph[module]:
                visit(name, (*way, module))
            done.add(module)

    for module in graph:
        visit(module, ())


def test_the_child_imports_the_wire_and_the_confinement_alone() -> None:
    """What runs beside student code holds nothing else of ours."""
    beside_it = {"answer", "output", "scratch", "surroundings", "witness"}
    assert imports(GRADER / "worker" / "child.py") == {"worker", *(f"worker.{name}" for name in beside_it)}
    beside = {
        "wire": set(),
        "output": set(),
        "scratch": set(),
        "surroundings": set(),
        "files": set(),
        "calls": set(),
        "witness": set(),
        "confine": {"worker", "worker.witness"},
        "answer": {"worker"},
    }
    for name, allowed in beside.items():
        assert imports(GRADER / "worker" / f"{name}.py") == allowed
    source = (GRADER / "worker" / "child.py").read_text(encoding="utf-8")
    assert "from grader.worker import confine, surroundings, wire\n" in source


@pytest.mark.parametrize("module", sorted(name for name in modules() if name.startswith("render.") or name == "report"))
def test_records_and_renderers_stay_below_the_pipeline(module: str) -> None:
    """Renderers import records and one another, the records nothing."""
    known = {"report", "records", "finding", "class_summary", "movement", "progress", "changes"}
    records = known if module.startswith("render.") else set()
    assert all(name in records or name.startswith("render") for name in imports(modules()[module]))


def test_the_engine_knows_no_exercise_by_name(course: Course) -> None:
    """No file of the engine names an exercise, a function or a mistake of the course but those it observes itself."""
    for module, path in modules().items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {id(node.body[0].value) for node in ast.walk(tree) if _has_docstring(node)}
        texts = [
            n.value
            for n in ast.walk(tree)
            if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in docstrings
        ]
        names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        for exercise in course.exercises:
            assert exercise.function not in names, f"{module} names {exercise.function}"
            if not module.startswith("cli."):  # whose --help shows examples
                assert not [text for text in texts if exercise.function in text], f"{module} names {exercise.function}"


def _has_docstring(node: ast.AST) -> bool:
    body = getattr(node, "body", None)
    first = body[0] if isinstance(body, list) and body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)


def test_help_loads_neither_numpy_nor_pytest() -> None:
    """`grade --help` is for people who wait: nothing heavy is imported."""
    script = (
        "import sys\nfrom grader.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\nprint(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert not loaded & {"numpy", "pytest", "_pytest", "rich", "yaml", "nbgrader", "asyncio"}


def test_there_are_no_rooms_without_a_noun() -> None:
    """No utils, no helpers, no common; and no file that has grown too long to be held in the head."""
    for module, path in modules().items():
        assert not {"utils", "helpers", "common", "misc"} & set(module.split("."))
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 450, f"{module} is too long"
