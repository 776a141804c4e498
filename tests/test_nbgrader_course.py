"""A course folder for nbgrader works with nbgrader's own commands, and its notebook gives nothing away."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml
from click.testing import CliRunner
from nbformat import NotebookNode
from traitlets.config.loader import PyFileConfigLoader

from grader.bank import load_bank
from grader.cli import main
from grader.course import Course, load_course
from grader.errors import CourseError, GraderError, UsageError
from grader.lesson import Exercise, QuickCheck, Text, Written, read_lesson, without_marks
from grader.nbgrader_course import init, notebook, notebook_code
from grader.quick_check import answered, posed
from grader.stubs import BEGIN, END
from grader.submission import read_cells
from grader.workspace import start

Grade = Callable[..., Any]

# ── a folder made by `init`, and what nbgrader makes of it ─────────────────────────────────────────


def nbgrader(folder: Path, *words: str) -> subprocess.Popen[str]:
    """One of nbgrader's commands, started; it calls programs that stand beside its Python."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GRADE_")}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.Popen(
        [sys.executable, "-m", "nbgrader", *words],
        cwd=folder,
        env={**clean, "PATH": path, "IPYTHONDIR": str(folder / ".ipython")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture(scope="module")
def folders(course: Course, tiny: Course, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of both courses by name, and the one they lie in.

    nbgrader makes the release of the first, and validates the solved source of the second in a kernel.
    """
    top = tmp_path_factory.mktemp("courses")
    for made in (course, tiny):
        init(made, top / made.name, course_id="autumn")
    running = [
        nbgrader(top / course.name, "generate_assignment", course.name),
        nbgrader(top / tiny.name, "validate", f"source/{tiny.name}/{tiny.name}.ipynb"),
    ]
    said = [process.communicate(timeout=100)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0], "\n".join(said)
    (top / "validated.txt").write_text(said[1])
    clear_solutions(top / tiny.name)
    return {made.name: top / made.name for made in (course, tiny)} | {"top": top}


def clear_solutions(folder: Path) -> None:
    """A release made by nbgrader's two steps that change what cells say, here and now: one program less to start."""
    from nbgrader.preprocessors import ClearSolutions, LockCells

    config, _ = configuration(folder / "nbgrader_config.py")
    made, resources = read(folder, "source"), {}
    for step in (LockCells, ClearSolutions):
        made, resources = step(config=config).preprocess(made, resources)
    (folder / "release" / "here").mkdir(parents=True)
    nbformat.write(made, folder / "release" / "here" / "made.ipynb")


def configuration(path: Path) -> tuple[Any, dict[str, str]]:
    """What nbgrader reads of a configuration file, and the variables it sets."""
    variables: dict[str, str] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "environ", variables)
        return PyFileConfigLoader(path.name, path=str(path.parent)).load_config(), variables


def read(folder: Path, step: str) -> NotebookNode:
    return nbformat.read(next(folder.glob(f"{step}/*/*.ipynb")), as_version=4)


@pytest.fixture(scope="module")
def release(folders: dict[str, Path], course: Course) -> NotebookNode:
    return read(folders[course.name], "release")


def by_grade_id(made: NotebookNode) -> dict[str, NotebookNode]:
    return {cell.metadata.nbgrader.grade_id: cell for cell in made.cells if "nbgrader" in cell.metadata}


def words(made: NotebookNode) -> str:
    return "\n\n".join(cell.source for cell in made.cells)


def function(text: str, name: str) -> str:
    """The text of a function's definition."""
    found = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == name]
    return ast.get_source_segment(text, found[-1]) or ""


def solution_lines(path: Path) -> list[str]:
    between = path.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    return [line.strip() for line in between.splitlines() if len(line.strip()) > 15]


# ── the release ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["attention", "tiny"])
def test_the_release_holds_the_stubs_and_no_solution(folders: dict[str, Path], root: Path, name: str) -> None:
    """Each solution becomes what the stub is as a file; no line of a solution is left."""
    course = load_course(root if name == "attention" else root / "tests" / "courses" / name)
    released = read(folders[name], "release")
    for exercise in course.exercises:
        cell = by_grade_id(released)[exercise.name]
        stub = exercise.stub.read_text(encoding="utf-8")
        assert function(cell.source, exercise.function) == function(stub, exercise.function) != ""
        assert "import numpy as np\n" in cell.source
        leaked = [line for line in solution_lines(exercise.solution) if line in words(released)]
        assert not leaked
    assert "SOLUTION" not in words(released)


def test_the_release_holds_no_hidden_test(release: NotebookNode, course: Course) -> None:
    """No line of a hidden suite stands anywhere in it, unless the stubs or NumPy's import have it too."""
    public = "\n".join(exercise.stub.read_text(encoding="utf-8") for exercise in course.exercises)
    for exercise in course.exercises:
        lines = {line.strip() for line in exercise.suite.read_text(encoding="utf-8").splitlines()}
        secret = {line for line in lines if len(line) > 20 and line not in public}
        assert len(secret) > 20
        assert not [line for line in secret if line in words(release)]


def test_the_release_holds_no_answer_to_the_quick_check(release: NotebookNode, course: Course) -> None:
    """Neither which choice is right, nor why, nor the lesson's own answer; the choices are there, lettered in order."""
    question = next(each for each in load_bank(course) if each.id == "why-scale-before-softmax")
    text = words(release)
    assert not [choice.why for choice in question.choices if choice.why[:40] in text]
    assert "right:" not in text
    assert "<details>" not in text
    answer = course.lesson.read_text(encoding="utf-8").partition("<summary>")[2].partition("</details>")[0]
    assert not [line for line in answer.splitlines()[2:] if len(line) > 40 and line in text]
    shown = re.findall(r"^\*\*([a-d])\.\*\* (.*)$", text, re.MULTILINE)
    assert [letter for letter, _ in shown] == ["a", "b", "c", "d"]
    assert {text for _, text in shown} == {choice.text for choice in question.choices}
    (answer,) = (cell for cell in release.cells if cell.id == "quick-check")
    assert answer.source.splitlines()[1] == 'quick_check = ""'


def test_a_test_cell_is_one_line(release: NotebookNode, course: Course) -> None:
    """What gives points by itself asks the grader, and says no more; the points are the course's."""
    cells = by_grade_id(release)
    worth = {exercise.name: exercise.points for exercise in course.exercises} | {"quick-check": 0.0}
    for name, points in worth.items():
        cell = cells[f"{name}-points"]
        assert cell.source == f'import grader; grader.check("{name}")'
        marks = cell.metadata.nbgrader
        assert (marks.grade, marks.locked, marks.solution, marks.points) == (True, True, False, points)
        if points:  # the Quick Check's answer is a cell of the learner's own
            answer = cells[name].metadata.nbgrader
            assert (answer.grade, answer.locked, answer.solution, "points" in answer) == (False, False, True, False)
    tests = [cell for cell in cells.values() if cell.metadata.nbgrader.grade and cell.cell_type == "code"]
    assert len(tests) == len(worth)
    assert [cell.source.count("\n") for cell in tests] == [0] * len(tests)


@pytest.mark.parametrize("step", ["source", "release"])
@pytest.mark.parametrize("name", ["attention", "tiny"])
def test_the_metadata_are_valid(folders: dict[str, Path], name: str, step: str) -> None:
    """Nbgrader's validator and nbformat's accept each notebook, and every id is there once."""
    from nbgrader.nbgraderformat import MetadataValidator

    made = read(folders[name], step)
    nbformat.validate(made)
    MetadataValidator().validate_nb(made)
    assert {cell.metadata.nbgrader.schema_version for cell in by_grade_id(made).values()} == {3}
    ids = [cell.id for cell in made.cells]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", cell_id) for cell_id in ids)
    assert all(grade_id == cell.id for grade_id, cell in by_grade_id(made).items())
    assert made.metadata.kernelspec == {"display_name": "Python 3", "language": "python", "name": "python3"}
    assert made.metadata.language_info.name == "python"


def test_nbgrader_validates_a_solved_notebook(folders: dict[str, Path]) -> None:
    """Run by nbgrader in a kernel, every test cell of the tiny course's source earns its points."""
    assert "Success! Your notebook passes all the tests." in (folders["top"] / "validated.txt").read_text()


# ── the source ─────────────────────────────────────────────────────────────────────────────────────


def test_the_source_is_a_right_submission(folders: dict[str, Path], course: Course, grade_path: Grade) -> None:
    """Solutions in cells earn what solutions in files do: each has the imports that it needs."""
    report = grade_path(next((folders[course.name] / "source").glob("*/*.ipynb")))
    assert report.score == course.max_score
    assert not [note for part in report.exercises for note in part.notes]


def test_the_cells_follow_what_each_function_promises(course: Course) -> None:
    """Section 10 goes: a promise, its answer cell, its test cell; the written answer comes before the sources."""
    made = notebook(course)
    ids = [cell.id for cell in made.cells]
    for exercise in course.exercises:
        place = ids.index(exercise.name)
        promise = made.cells[place - 1].source.split("\n\n")[-1]
        assert promise.startswith(f"**`{exercise.function}(")
        assert ids[place + 1] == f"{exercise.name}-points"
    assert ids[-2:] == ["written", "12-sources"]
    written = made.cells[-2].metadata.nbgrader
    assert (written.grade, written.solution, written.locked, written.points) == (True, True, False, 10.0)
    assert made.cells[-3].source.startswith("## In your own words")


def test_without_the_written_answer(course: Course) -> None:
    """Neither its question nor its cell is there, and nothing is marked by hand."""
    made = notebook(course, written=False)
    assert "written" not in by_grade_id(made)
    assert "In your own words" not in words(made)
    *others, _, _, sources = [cell.source for cell in notebook(course).cells]
    assert [cell.source for cell in made.cells] == [*others, sources]


def test_each_section_is_a_cell(course: Course) -> None:
    """Every second-level heading begins a cell, named after it, and no cell has two."""
    cells = [cell for cell in notebook(course, written=False).cells if cell.cell_type == "markdown"]
    lesson = without_marks(course.lesson.read_text(encoding="utf-8"))
    headings = re.findall(r"^## .*$", lesson, re.MULTILINE)
    assert [cell.source.splitlines()[0] for cell in cells if cell.source.startswith("## ")] == headings
    assert not [cell.id for cell in cells if "\n## " in cell.source]
    assert "4-why-d-k" in [cell.id for cell in cells]


def test_the_notebook_speaks_of_no_files(course: Course) -> None:
    """What is said of files and shell commands is said in the lesson as a file only, and the other way round."""
    shown = words(notebook(course))
    file = without_marks(course.lesson.read_text(encoding="utf-8"))
    assert not [word for word in ("exercises/", "from exercises", "folder", "`grade`", "`grade hint`") if word in shown]
    assert not [word for word in ("notebook", "cell", "grader.", "In your own words") if word in file]
    assert "<!--" not in shown + file
    assert "in the cells below, each in place of its `raise NotImplementedError`, and run their cells. Then:" in shown


def test_code_shown_in_the_lesson_runs_in_the_notebook(course: Course) -> None:
    """The lines that print a table of section 4 run below the learner's own functions, and print it."""
    made = notebook(course)
    (block,) = re.findall(r"^```python\n(.*?)^```$", words(made), re.MULTILINE | re.DOTALL)
    printed: list[str] = []
    names: dict[str, Any] = {"print": lambda *items: printed.append(" | ".join(map(str, items)))}
    for exercise in course.exercises:
        exec(by_grade_id(made)[exercise.name].source, names)
    exec(block, names)
    assert len(printed) == 4
    lesson = course.lesson.read_text(encoding="utf-8").replace(",", "")
    assert all(row.split(" | ")[2] in lesson for row in printed)


# ── the folder ─────────────────────────────────────────────────────────────────────────────────────


def test_init_writes_four_files(folders: dict[str, Path], course: Course, tmp_path: Path) -> None:
    """The configuration, the notebook, what git ignores, and a page for the instructor."""
    paths = init(course, tmp_path / "new", course_id="autumn")
    names = ["nbgrader_config.py", "source/attention/attention.ipynb", ".gitignore", "README.md"]
    assert [str(path.relative_to(tmp_path / "new")) for path in paths] == names
    assert sorted(paths) == sorted(path for path in (tmp_path / "new").rglob("*") if path.is_file())
    ignored = (tmp_path / "new" / ".gitignore").read_text().split()
    assert ignored == ["gradebook.db", "grades.csv", "submitted/", "autograded/", "feedback/", ".grade/"]
    page = (tmp_path / "new" / "README.md").read_text(encoding="utf-8")
    steps = ["nbgrader generate_assignment", "nbgrader autograde", "jupyter lab", "nbgrader generate_feedback"]
    places = [page.index(f"`{step}") for step in [*steps, "nbgrader export"]]
    assert places == sorted(places)
    assert "--no-written" in page


def test_init_gives_the_same_files_each_time(folders: dict[str, Path], course: Course, tmp_path: Path) -> None:
    """Byte for byte: no clock, no chance, no path of the folder."""
    for path in init(course, tmp_path / "again", course_id="autumn"):
        assert path.read_bytes() == (folders[course.name] / path.relative_to(tmp_path / "again")).read_bytes()


def test_init_twice_is_refused(tmp_path: Path, tiny: Course) -> None:
    """Nothing is overwritten, neither a course nor anything else that is there."""
    init(tiny, tmp_path / "course", course_id="a")
    (tmp_path / "course" / "README.md").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name in ("course", "file"):
        with pytest.raises(UsageError, match=r"not empty|a file"):
            init(tiny, tmp_path / name, course_id="a")
    assert (tmp_path / "course" / "README.md").read_text() == "mine"


def test_a_faulty_course_writes_nothing(tiny: Course, tmp_path: Path) -> None:
    """Faults are found before the first file is written."""
    broken = course_with(tiny, tmp_path, "<!-- fils -->")
    with pytest.raises(CourseError):
        init(broken, tmp_path / "new", course_id="a")
    assert not (tmp_path / "new").exists()


def test_the_configuration_says_what_nbgrader_does(folders: dict[str, Path], course: Course) -> None:
    """The course id, the stub, both explicit lists, and the seed's own file; the package's course needs no path."""
    path = folders[course.name] / "nbgrader_config.py"
    config, variables = configuration(path)
    assert config.CourseDirectory.course_id == "autumn"
    assert config.ClearSolutions.code_stub == {"python": "raise NotImplementedError"}
    assert config.OverwriteCells.add_missing_cells is True
    assert config.Autograde.sanitize_preprocessors[1:3] == [
        "grader.nbgrader_autograde.MendCells",
        "nbgrader.preprocessors.DeduplicateIds",
    ]
    grading = config.Autograde.autograde_preprocessors
    assert grading[0] == "grader.nbgrader_autograde.GradeCells"
    assert grading.index("nbgrader.preprocessors.SaveAutoGrades") > 0
    assert variables == {"GRADE_SEED_FILE": str(path.parent / ".grade" / "seed")}


def test_each_preprocessor_of_nbgraders_is_there(folders: dict[str, Path]) -> None:
    """Names in the lists that are not ours can be imported, so a misspelt one is not found by an instructor."""
    import nbconvert.preprocessors as of_nbconvert
    import nbgrader.preprocessors as of_nbgrader

    config, _ = configuration(folders["tiny"] / "nbgrader_config.py")
    homes = {"nbgrader.preprocessors": of_nbgrader, "nbconvert.preprocessors": of_nbconvert}
    for name in (*config.Autograde.sanitize_preprocessors, *config.Autograde.autograde_preprocessors):
        home, _, noun = name.rpartition(".")
        assert home == "grader.nbgrader_autograde" or hasattr(homes[home], noun), name


def test_with_execute_nbgrader_runs_the_notebook_first(folders: dict[str, Path], tmp_path: Path) -> None:
    """One word to change; a cell then has 300 seconds, by the setting's name of nbgrader and of nbconvert."""
    from nbgrader.preprocessors import Execute

    text = (folders["tiny"] / "nbgrader_config.py").read_text(encoding="utf-8")
    (tmp_path / "nbgrader_config.py").write_text(text.replace("\nEXECUTE = False\n", "\nEXECUTE = True\n"))
    config, _ = configuration(tmp_path / "nbgrader_config.py")
    assert config.Autograde.autograde_preprocessors[:2] == [
        "grader.nbgrader_autograde.RunCells",
        "grader.nbgrader_autograde.GradeCells",
    ]
    assert Execute(config=config).timeout == 300


def test_another_course_is_named_in_the_configuration(folders: dict[str, Path], tiny: Course) -> None:
    """Cells that ask the grader ask for this course."""
    _, variables = configuration(folders["tiny"] / "nbgrader_config.py")
    assert variables["GRADE_COURSE"] == str(tiny.root)


def test_a_course_id_with_quotes_stays_what_it_is(tiny: Course, tmp_path: Path) -> None:
    """The configuration is Python: what is put in is written as Python writes it."""
    odd = '"; import os #\\ ü'
    init(tiny, tmp_path / "odd", course_id=odd)
    config, _ = configuration(tmp_path / "odd" / "nbgrader_config.py")
    assert config.CourseDirectory.course_id == odd
    with pytest.raises(UsageError, match="empty"):
        init(tiny, tmp_path / "new", course_id=" ")


def test_a_missing_package_is_named_with_its_remedy(
    tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without nbgrader the error says what to install, and nothing is written."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for make in (lambda: notebook(tiny), lambda: init(tiny, tmp_path / "new", course_id="a")):
        with pytest.raises(GraderError, match=r"nbformat is not installed here\n  pip install '.*\[nbgrader\]'"):
            make()
    assert not (tmp_path / "new").exists()


# ── the command ────────────────────────────────────────────────────────────────────────────────────


def test_the_command_makes_the_folder_and_says_what_comes_next(root: Path, tmp_path: Path) -> None:
    """`grade nbgrader init` takes the course's name as course id, and prints its files and the next commands."""
    made = tmp_path / "my course"
    words_ = ["nbgrader", "init", str(made), "--course", str(root / "tests" / "courses" / "tiny"), "--no-written"]
    done = CliRunner().invoke(main, words_)
    assert done.exit_code == 0, done.output
    assert str(made / "source" / "tiny" / "tiny.ipynb") in done.output
    assert f"  cd '{made}'\n  nbgrader generate_assignment tiny\n" in done.output
    assert 'course_id = "tiny"' in (made / "nbgrader_config.py").read_text(encoding="utf-8")
    again = CliRunner().invoke(main, [*words_, "--course-id", "b"])
    assert (again.exit_code, "not empty" in again.output) == (2, True)


def test_help_does_not_wait_for_nbgrader() -> None:
    """`grade nbgrader --help` and the help of `init` import neither nbgrader nor nbformat."""
    for asked in (["nbgrader", "--help"], ["nbgrader", "init", "--help"]):
        script = f"import sys\nfrom grader.cli import main\ntry: main({asked})\nexcept SystemExit: print(*sys.modules)"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert not {"nbgrader", "nbformat", "numpy", "yaml"} & set(done.stdout.splitlines()[-1].split())
        assert "init" in done.stdout


# ── the lesson and its marks ───────────────────────────────────────────────────────────────────────


def course_with(tiny: Course, folder: Path, lesson: str) -> Course:
    """A copy of the tiny course with another lesson."""
    shutil.copytree(tiny.root, folder / "copy")
    (folder / "copy" / "lesson.md").write_text(lesson, encoding="utf-8")
    return load_course(folder / "copy")


def with_question(tiny: Course, folder: Path, question: dict[str, Any]) -> Course:
    """A copy of the tiny course with a bank of one question, and a lesson that asks it."""
    course = course_with(tiny, folder, f"<!-- quick-check {question['id']} -->")
    (course.root / "quiz").mkdir()
    (course.root / "quiz" / "bank.yml").write_text(yaml.safe_dump([question]), encoding="utf-8")
    with (course.root / "course.yml").open("a") as file:
        file.write("\nquiz: quiz\n")
    return load_course(course.root)


def test_a_lesson_without_marks_has_its_exercises_at_the_end(tiny: Course) -> None:
    """In course order, behind all of the text."""
    assert [cell.id for cell in notebook(tiny).cells] == ["unit-vectors", "unit", "unit-points"]


MARKED = """\
# One

Write <!-- files -->the file<!-- /files --><!-- notebook the cell -->, then:

<!-- notebook
## Only

here
-->

```python
## no heading, <!-- no mark -->
```

<!-- files -->
    a command

<!-- /files -->
<!-- exercise unit -->

In `code <!-- here -->` nothing is a mark.

<!-- quick-check why -->

## Two
<!-- written 2.5 Why? -->
"""
AS_FILE = """\
# One

Write the file, then:

```python
## no heading, <!-- no mark -->
```

    a command

In `code <!-- here -->` nothing is a mark.

## Two
"""


def test_a_marked_lesson_reads_well_as_a_file_and_as_a_notebook() -> None:
    """Marks leave no trace, neither of themselves nor of their lines; in code they are none."""
    assert without_marks(MARKED) == AS_FILE
    code = "```python\n## no heading, <!-- no mark -->\n```"
    assert read_lesson(MARKED) == (
        Text("# One\n\nWrite the cell, then:"),
        Text(f"## Only\n\nhere\n\n{code}"),
        Exercise("unit", 19),
        Text("In `code <!-- here -->` nothing is a mark."),
        QuickCheck("why", 23),
        Text("## Two"),
        Written(2.5, "Why?"),
    )
    for tail in ("\n", ""):
        assert without_marks(f"text\n\n<!-- written 1 Why? -->{tail}") == "text\n"


@pytest.mark.parametrize(
    ("lesson", "line", "said"),
    [
        ("a\n\n<!-- fils -->", 3, "unknown mark 'fils'. Did you mean 'files'?"),
        ("a\n<!-- TODO: more -->", 2, "unknown mark 'TODO:'. The marks are: files,"),
        ("<!---->", 1, "unknown mark ''"),
        ("\n<!-- files -->\ntext", 2, "`files` is not closed. Put <!-- /files -->"),
        ("<!-- files --><!-- /files -->\n<!-- /files -->", 2, "`/files` closes nothing"),
        ("<!-- files -->\n<!-- files -->\n<!-- /files -->", 2, "`files` inside the `files` of line 1"),
        ("<!-- files -->\n\n<!-- exercise unit -->\n<!-- /files -->", 3, "`exercise` inside the `files` of line 1"),
        ("a\n<!-- notebook b", 2, "a comment without its end. Put --> behind it."),
        ("<!-- notebook -->", 1, "`notebook` needs a text"),
        ("<!-- exercise -->", 1, "`exercise` needs one name"),
        ("<!-- exercise a b -->", 1, "`exercise` needs one name"),
        ("<!-- written Why? -->", 1, "`written` needs points and a question"),
        ("<!-- written 10 -->", 1, "`written` needs points and a question"),
        ("<!-- quick-check -->", 1, "`quick-check` needs one question of the bank"),
        ("<!-- quick-check units -->", 1, "the bank has no question 'units' with one right choice"),
        ("<!-- files here --><!-- /files -->", 1, "`files` takes nothing else"),
        ("a\n\n<!-- exercise units -->", 3, "there is no exercise 'units'. The exercises are: unit."),
        ("<!-- exercise unit -->\n<!-- exercise unit -->", 2, "'unit' has its place already"),
        ("<!-- quick-check a -->\n\n<!-- quick-check a -->", 3, "'quick-check' has its place already"),
    ],
)
def test_a_faulty_mark_is_named_with_its_line(tiny: Course, tmp_path: Path, lesson: str, line: int, said: str) -> None:
    """Unknown, unclosed, misplaced, incomplete: each with where it is and what to do, and the lesson's file."""
    broken = course_with(tiny, tmp_path, lesson)
    with pytest.raises(CourseError) as caught:
        notebook(broken)
    assert f"line {line}: {said}" in str(caught.value)
    assert str(broken.lesson) in str(caught.value)


def test_every_fault_is_named_at_once() -> None:
    """Two faults, two lines."""
    with pytest.raises(CourseError) as caught:
        read_lesson("<!-- exercise -->\n\n<!-- nothing -->\n", where="mine.md")
    assert [problem[:7] for problem in caught.value.problems] == ["line 1:", "line 3:"]
    assert str(caught.value).startswith("mine.md: 2 problems")


@pytest.mark.parametrize("name", ["attention", "tiny"])
def test_the_lesson_of_a_workspace_shows_no_mark(root: Path, tmp_path: Path, name: str) -> None:
    """`grade start` writes the lesson as if it had never been marked; the exercises lie beside it."""
    course = load_course(root if name == "attention" else root / "tests" / "courses" / name)
    *stubs, lesson = start(course, tmp_path / "mine")
    text = lesson.read_text(encoding="utf-8")
    assert "<!--" not in text
    assert "-->" not in text
    assert "\n\n\n" not in text
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert [path.name for path in stubs] == [exercise.stub.name for exercise in course.exercises]


def test_comments_that_are_no_marks_stay_in_a_workspace(tiny: Course, tmp_path: Path) -> None:
    """`grade start` judges no lesson: a course that is never a notebook may have comments of its own."""
    lesson = start(course_with(tiny, tmp_path, "a <!-- mine --> b <!-- files -->c<!-- /files -->\n"), tmp_path / "w")[
        -1
    ]
    assert lesson.read_text(encoding="utf-8") == "a <!-- mine --> b c\n"


def test_headings_that_are_named_like_an_exercise_get_a_number(tiny: Course, tmp_path: Path) -> None:
    """Ids are unique whatever headings say, also where they say the same or nothing that an id can hold."""
    made = notebook(course_with(tiny, tmp_path, "## Unit\n\n## Unit\n\n## 単位\n\n## " + "long " * 40))
    ids = [cell.id for cell in made.cells]
    assert ids == ["unit-2", "unit-3", "unit-4", ("long-" * 12)[:60], "unit", "unit-points"]
    nbformat.validate(made)


# ── the quick check ────────────────────────────────────────────────────────────────────────────────

WHICH = {
    "id": "which",
    "kind": "one",
    "topic": "units",
    "question": "Which?",
    "explanation": "So.",
    "choices": [{"text": f"no {n}", "right": n == 1, "why": "so"} for n in range(3)],
}


def test_the_quick_check_of_any_course(tiny: Course, tmp_path: Path) -> None:
    """Its choices are those of a question of the bank; the answer is a letter in a cell of the learner's own."""
    made = notebook(with_question(tiny, tmp_path, WHICH))
    assert [cell.id for cell in made.cells] == ["text", "quick-check", "quick-check-points", "unit", "unit-points"]
    assert sorted(re.findall(r"no \d", made.cells[0].source)) == ["no 0", "no 1", "no 2"]
    assert made.cells[1].source.endswith('quick_check = ""')
    assert "nbgrader" not in made.cells[1].metadata


def test_a_quick_check_is_a_question_with_one_right_choice(tiny: Course, tmp_path: Path) -> None:
    """A question of another kind cannot be answered by a letter in a cell."""
    shape = {**WHICH, "kind": "shape", "choices": [], "answer": [2]}
    with pytest.raises(CourseError, match="no question 'which' with one right choice"):
        notebook(with_question(tiny, tmp_path, shape))


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Not answered yet"),
        ("z", "none of the letters"),
        ("RIGHT", "Right."),
        ("right", "Right."),
        ("WRONG", "Not quite."),
    ],
)
def test_the_quick_check_answers_and_costs_nothing(course: Course, typed: str, said: str) -> None:
    """Right, wrong, malformed or missing: each is told, and none is worth a point."""
    mark = next(part for part in read_lesson(course.lesson.read_text("utf-8")) if isinstance(part, QuickCheck))
    right = posed(course, mark).answer
    typed = {"RIGHT": right.upper(), "right": right, "WRONG": "abcd".replace(right, "")[0]}.get(typed, typed)
    cells = [{"cell_type": "code", "metadata": {}, "source": f'quick_check = "{typed}"'}]
    part = answered(course, read_cells("n.ipynb", json.dumps({"cells": cells}).encode()))
    assert (part["score"], part["max_score"]) == (0, 0)
    assert said in part["text"]
    assert said in part["html"]


# ── code in cells ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("source", "cell"),
    [
        (
            '"""Doc."""\n\nimport numpy\n\nfrom exercises.softmax import softmax\n\n\nx = 1\n',
            "import numpy\n\n\nx = 1",
        ),
        ("import math\nfrom .softmax import (\n    softmax,\n)\nimport re\n", "import math\nimport re"),
        ("from softmax import softmax\n\nx = '''\n\n\n\n'''\n", "x = '''\n\n\n\n'''"),
        ("from attention import y\nfrom softmaxes import z\n", "from attention import y\nfrom softmaxes import z"),
        ("'a'\nx  =  1 # kept, as it is\n", "x  =  1 # kept, as it is"),
        ("b'no docstring'\n", "b'no docstring'"),
    ],
)
def test_only_the_docstring_and_imports_of_other_exercises_go(course: Course, source: str, cell: str) -> None:
    """All other lines of a solution are in its cell as they were written."""
    assert notebook_code(course, course.exercise("attention"), source) == cell


@pytest.mark.parametrize("source", ["from exercises.softmax import softmax as s\n", "from softmax import *\n"])
def test_an_import_under_another_name_is_a_fault_of_the_course(course: Course, source: str) -> None:
    """The cell would miss that name; saying so beats a notebook that fails in class."""
    with pytest.raises(CourseError, match="another name"):
        notebook_code(course, course.exercise("attention"), source)


def test_an_exercise_whose_name_cannot_name_a_cell(tiny: Course, tmp_path: Path) -> None:
    """Said of the course, before nbgrader would."""
    copy = course_with(tiny, tmp_path, "text")
    path = copy.root / "course.yml"
    path.write_text(path.read_text().replace("name: unit\n", "name: unit one\n"))
    with pytest.raises(CourseError, match="'unit one' cannot name one cell"):
        notebook(load_course(copy.root))
    path.write_text(path.read_text().replace("name: tiny\n", "name: a/b\n").replace("unit one", "unit"))
    with pytest.raises(CourseError, match="'a/b' names a folder"):
        init(load_course(copy.root), tmp_path / "new", course_id="a")
