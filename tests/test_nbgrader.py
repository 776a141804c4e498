"""From `grade nbgrader init` to the gradebook with nbgrader's own commands, past all that students do to notebooks.

Every student is graded twice: by our preprocessor, which runs no notebook, and by nbgrader running it.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import warnings
from pathlib import Path

import pytest

from grader.course import Course
from grader.grading import grade
from grader.seed import secret_seed
from grader.submission import read_submission
from grader.worker.launch import Launcher

nbformat = pytest.importorskip("nbformat", reason="notebooks come with the extra `nbgrader`")
pytest.importorskip("nbgrader", reason="nbgrader comes with the extra `nbgrader`")

from tests.nbgrader_class import EXERCISES, NAME, SOFTMAX, STUDENTS, command, gradebook, make_class  # noqa: E402


def test_there_are_enough_students() -> None:
    """At least twelve, the headline mistakes among them."""
    assert len(STUDENTS) >= 12


# ── one course, graded both ways ───────────────────────────────────────────────────────────────────


@pytest.fixture(scope="session")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course with everyone's notebooks."""
    return make_class(tmp_path_factory.mktemp("nbgrader") / "course")


@pytest.fixture(scope="session")
def ours(handed_in: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course autograded as its configuration has it."""
    folder = tmp_path_factory.mktemp("ours") / "course"
    shutil.copytree(handed_in, folder)
    command(folder, "autograde", NAME)
    return folder


@pytest.fixture(scope="session")
def stock(handed_in: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course autograded by running the notebooks, with cells mended and nothing else of ours."""
    folder = tmp_path_factory.mktemp("stock") / "course"
    shutil.copytree(handed_in, folder)
    with (folder / "nbgrader_config.py").open("a") as file:
        file.write("\ndel c.Autograde['autograde_preprocessors']\nc.Execute.timeout = 20\n")
    command(folder, "autograde", NAME, check=False)  # some students it cannot grade
    return folder


@pytest.fixture(scope="session")
def by_hand(handed_in: Path, ours: Path, course: Course, launcher: Launcher) -> dict[str, dict[str, float]]:
    """Student -> exercise -> points, as `grade run` gives them to the same notebook with the course's seed."""
    seed = secret_seed(ours / ".grade" / "seed")
    reports = {
        name: grade(read_submission(handed_in / "submitted" / name / NAME / f"{NAME}.ipynb"), course, seed, launcher)
        for name in STUDENTS
    }
    return {name: {each.name: each.score for each in report.exercises} for name, report in reports.items()}


@pytest.mark.parametrize("student", STUDENTS)
def test_our_points_are_those_of_grade_run(student: str, ours: Path, by_hand: dict[str, dict[str, float]]) -> None:
    """The gradebook has the points that `grade run` gives to the same notebook."""
    recorded = gradebook(ours)[student]
    assert {name: recorded[name] for name in EXERCISES} == pytest.approx(by_hand[student], abs=1e-9)


@pytest.mark.parametrize("student", [name for name, student in STUDENTS.items() if student.stock == "same"])
def test_stock_nbgrader_gives_the_same(student: str, stock: Path, ours: Path) -> None:
    """A notebook that survives being run gets the same points from nbgrader's own preprocessors."""
    recorded, expected = gradebook(stock)[student], gradebook(ours)[student]
    assert {name: recorded[name] for name in EXERCISES} == pytest.approx({n: expected[n] for n in EXERCISES}, abs=1e-9)


@pytest.mark.parametrize("student", [name for name, student in STUDENTS.items() if student.stock == "fails"])
def test_what_stock_nbgrader_cannot_grade_we_do(student: str, stock: Path, ours: Path) -> None:
    """A notebook that ends its kernel has no grade where it is run, and its due here."""
    assert not (stock / "autograded" / student / NAME / f"{NAME}.ipynb").exists()
    assert (ours / "autograded" / student / NAME / f"{NAME}.ipynb").exists()


def test_what_fools_stock_nbgrader_does_not_fool_us(stock: Path, ours: Path) -> None:
    """Code in the kernel can take the grader's place there: this is what the preprocessor is for."""
    assert gradebook(stock)["forged-grader"]["softmax"] == 20
    assert gradebook(ours)["forged-grader"]["softmax"] == gradebook(ours)["overflows"]["softmax"] == 23


def test_a_fault_costs_its_own_exercise_alone(by_hand: dict[str, dict[str, float]]) -> None:
    """A crash, a loop, an edited, copied, split or deleted cell loses nothing that is still there."""
    right = {"softmax": 30, "causal_mask": 20, "attention": 50}
    whole = ["full", "loops-at-once", "ends-the-kernel", "copied-cells", "split-cell", "deleted-test-cell", "loud"]
    assert [name for name in (*whole, "tampered-metadata") if by_hand[name] != right] == []
    assert by_hand["syntax-error"] == right | {"attention": 0}
    assert by_hand["loops-when-called"] == right | {"softmax": 0}
    for name in ("no-softmax", "broken-softmax-cell"):
        assert by_hand[name] == right | {"softmax": 0}
    for name in ("stub", "emptied-cell", "deleted-cells"):
        assert by_hand[name] == right | {"causal_mask": 0}


def test_an_answer_in_words_is_read_by_somebody(ours: Path) -> None:
    """Of two copies of the answer the one that says something is kept, and waits for a reader."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{ours / 'gradebook.db'}") as book:
        open_ones = {
            submission.student.id
            for submission in book.assignment_submissions(NAME)
            for notebook in submission.notebooks
            for grade in notebook.grades
            if grade.name == "written" and grade.needs_manual_grade
        }
    assert open_ones == {"answered-in-a-copy"}


def test_late_is_late_and_nothing_else(ours: Path) -> None:
    """A late notebook has its points, and nbgrader its seconds."""
    recorded = gradebook(ours)
    assert recorded["late"]["late"] == 24 * 3600
    assert {name: recorded["late"][name] for name in EXERCISES} == {n: recorded["unscaled"][n] for n in EXERCISES}


# ── what comes back ────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="session")
def feedback(ours: Path) -> dict[str, str]:
    """Student -> feedback page, made by nbgrader."""
    command(ours, "generate_feedback", NAME)
    return {name: (ours / "feedback" / name / NAME / f"{NAME}.html").read_text(encoding="utf-8") for name in STUDENTS}


@pytest.mark.parametrize(
    ("student", "title", "hint"),
    [
        ("unscaled", "Does not divide the scores by √d_k", "np.log(w / (1 - w))"),
        ("masked-late", "after the softmax", "softmax"),
        ("overflows", "Exponentiates large scores without subtracting the maximum", "exp"),
    ],
)
def test_feedback_names_the_mistake_and_gives_hints(
    feedback: dict[str, str], student: str, title: str, hint: str
) -> None:
    """The page that goes back to the student holds the mistake's title and the ladder of hints."""
    page = feedback[student]
    assert title in page
    assert "Hint 1" in page
    assert hint in page


def test_feedback_has_not_one_line_of_a_hidden_test(feedback: dict[str, str], root: Path) -> None:
    """No line of the suites that says anything is in any page: neither their code nor their numbers."""
    lines = {
        line.strip()
        for suite in (root / "grader" / "suites").glob("*.py")
        for line in suite.read_text(encoding="utf-8").split("\n")
        if len(line.strip()) > 25 and not line.strip().startswith(("@pytest.mark.example", '"""', "import", "from"))
    }
    pages = "\n".join(feedback.values())
    assert len(lines) > 100
    assert [line for line in lines if line in pages] == []


def test_every_graded_cell_says_why(feedback: dict[str, str], ours: Path) -> None:
    """A cell with no full marks has its report above its points."""
    notebook = json.loads((ours / "autograded" / "unscaled" / NAME / f"{NAME}.ipynb").read_text())
    (cell,) = (c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == "attention-points")
    assert [output["output_type"] for output in cell["outputs"]] == ["display_data", "execute_result"]
    assert float("".join(cell["outputs"][1]["data"]["text/plain"])) < 50


def test_export_has_everyone(ours: Path) -> None:
    """Nbgrader's own export lists each student with the sum of the points."""
    command(ours, "export", "--to", "grades.csv")
    exported = (ours / "grades.csv").read_text(encoding="utf-8").splitlines()
    rows = {row["student_id"]: row for row in csv.DictReader(exported)}
    recorded = gradebook(ours)
    assert {name: float(row["score"]) for name, row in rows.items()} == {
        name: pytest.approx(sum(recorded[name][each] for each in EXERCISES)) for name in STUDENTS
    }


def test_grading_again_gives_the_same(ours: Path) -> None:
    """Autograding once more, with the course's own seed, changes nothing."""
    before = gradebook(ours)["unscaled"]
    command(ours, "autograde", NAME, "--student=unscaled", "--force")
    assert gradebook(ours)["unscaled"] == before


# ── faults that are not the student's ──────────────────────────────────────────────────────────────


def one_student(handed_in: Path, tmp_path: Path, name: str = "full") -> Path:
    """A copy of the course with one student in it."""
    folder = tmp_path / "course"
    shutil.copytree(
        handed_in, folder, ignore=lambda path, names: {*names} - {name} if path.endswith("submitted") else ()
    )
    return folder


def execute(folder: Path) -> None:
    """Have nbgrader run notebooks."""
    config = folder / "nbgrader_config.py"
    config.write_text(config.read_text().replace("EXECUTE = False", "EXECUTE = True"))


def test_a_fault_of_the_grader_records_nothing(handed_in: Path, tmp_path: Path) -> None:
    """Where the grader itself fails, nbgrader says so, ends with an error, and has no grade: neither 0 nor all."""
    folder = one_student(handed_in, tmp_path)
    with (folder / "nbgrader_config.py").open("a") as file:
        file.write("\nos.environ['GRADE_COURSE'] = '/nowhere'\n")
    done = command(folder, "autograde", NAME, check=False)
    assert done.returncode != 0
    assert "no course here" in done.stderr
    assert not (folder / "autograded" / "full" / NAME / f"{NAME}.ipynb").exists()
    assert gradebook(folder)["full"]["softmax"] is None


def test_a_kernel_that_ends_costs_only_what_was_not_run(handed_in: Path, tmp_path: Path) -> None:
    """With EXECUTE, a notebook that ends its kernel still gets the points of our cells, as it does without."""
    folder = one_student(handed_in, tmp_path, "ends-the-kernel")
    execute(folder)
    command(folder, "autograde", NAME)
    recorded = gradebook(folder)["ends-the-kernel"]
    assert {name: recorded[name] for name in EXERCISES} == {"softmax": 30, "causal_mask": 20, "attention": 50}


def test_a_cell_that_ends_its_kernel_gets_nothing(handed_in: Path, tmp_path: Path) -> None:
    """With EXECUTE, an instructor's test cell in which the kernel dies is not full marks for want of an output."""
    folder = one_student(handed_in, tmp_path)
    execute(folder)
    ends = SOFTMAX.replace(
        "    scores = x", "    import os, time\n    time.sleep(0.3)\n    os._exit(0)\n    scores = x"
    )
    with_own_cell(folder, ends)
    command(folder, "generate_assignment", NAME, "--force")
    command(folder, "autograde", NAME)
    recorded = gradebook(folder)["full"]
    assert (recorded["own"], recorded["softmax"], recorded["attention"]) == (0, 0, 50)


def with_own_cell(folder: Path, softmax: str = SOFTMAX) -> None:
    """A test cell of the instructor's own, in the source and in what was handed in."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for step in ("source", "submitted/full"):
            path = folder / step / NAME / f"{NAME}.ipynb"
            notebook = nbformat.read(path, as_version=4)
            meta = {"grade": True, "locked": True, "solution": False, "grade_id": "own", "points": 4}
            cell = nbformat.v4.new_code_cell("assert softmax(np.ones(2))[0] == 0.5")
            cell.metadata["nbgrader"] = {**meta, "schema_version": 3}
            notebook.cells.append(cell)
            if step != "source":
                next(each for each in notebook.cells if each.id == "softmax").source = softmax
            path.write_text(json.dumps(notebook), encoding="utf-8")


def test_points_changed_in_one_place_alone_are_an_error(handed_in: Path, tmp_path: Path) -> None:
    """A cell worth other points than its exercise would grade wrongly: nothing is recorded, and both are named."""
    folder = one_student(handed_in, tmp_path)
    source = folder / "source" / NAME / f"{NAME}.ipynb"
    source.write_text(source.read_text().replace('"points": 30.0', '"points": 60.0'))
    command(folder, "generate_assignment", NAME, "--force")
    done = command(folder, "autograde", NAME, check=False)
    assert done.returncode != 0
    assert re.search(r"cell softmax-points: 60 points, but its exercise has 30", done.stderr)


@pytest.mark.parametrize("executed", [False, True])
def test_an_instructors_own_test_cell(handed_in: Path, tmp_path: Path, executed: bool) -> None:
    """A graded cell that is none of ours gets 0 and says why, unless EXECUTE has nbgrader run the notebook."""
    folder = one_student(handed_in, tmp_path)
    with_own_cell(folder)
    if executed:
        execute(folder)
    command(folder, "generate_assignment", NAME, "--force")
    command(folder, "autograde", NAME)
    assert gradebook(folder)["full"]["own"] == (4 if executed else 0)
    assert gradebook(folder)["full"]["softmax"] == 30
    graded = (folder / "autograded" / "full" / NAME / f"{NAME}.ipynb").read_text()
    assert ("notebooks are not run here" in graded) == (not executed)
