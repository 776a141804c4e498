"""`grade nbgrader batch` leaves what `nbgrader autograde` leaves, and nbgrader's other commands go on from there.

Two copies of one course, with one seed: one autograded by nbgrader, one by the batch. The class is that of
`nbgrader_class.py`, and all that can be odd about a submission to nbgrader.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nbformat", reason="notebooks come with the extra `nbgrader`")
pytest.importorskip("nbgrader", reason="nbgrader comes with the extra `nbgrader`")

from tests.nbgrader_class import NAME, OVERFLOWS, SOFTMAX, command, gradebook, make_class

FILE = f"{NAME}.ipynb"
FAILING = {"broken-json", "other-name"}
NO_RESULT = FAILING | {"no-notebook"}


def copied(course: Path, old: str, new: str) -> Path:
    """A further student with another's work; the folder."""
    shutil.copytree(course / "submitted" / old, course / "submitted" / new)
    return course / "submitted" / new / NAME


def make_odd(course: Path) -> None:
    """What nbgrader sees besides notebooks that were filled in."""
    (copied(course, "full", "broken-json") / FILE).write_text("{")
    (copied(course, "full", "no-notebook") / FILE).unlink()
    (copied(course, "overflows", "no-timestamp") / "timestamp.txt").unlink()
    copied(course, "unscaled", "O'Neil, Jr. ü")
    other = copied(course, "full", "other-name") / FILE
    other.rename(other.with_name("mine.ipynb"))
    extra = copied(course, "full", "extra-notebook") / FILE
    shutil.copy(extra, extra.with_name("draft.ipynb"))
    beside = copied(course, "unscaled", "side-files")
    (beside / "data").mkdir()
    (beside / "data" / "x.csv").write_text("1,2\n")
    (beside / "table.txt").write_text("the student's")
    (course / "source" / NAME / "table.txt").write_text("the instructor's")
    command(course, "db", "student", "add", "full", "--first-name=Ada")


def batch(course: Path, *words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    """`grade nbgrader batch` on a course folder, from elsewhere."""
    done = subprocess.run(
        [sys.executable, "-m", "grader", "nbgrader", "batch", str(course), *words],
        env={name: value for name, value in os.environ.items() if not name.startswith("GRADE_")},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == status, done.stderr[-3000:]
    return done


@pytest.fixture(scope="session")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course with everyone's notebooks, and a seed."""
    course = make_class(tmp_path_factory.mktemp("nbgrader") / "course")
    make_odd(course)
    (course / ".grade").mkdir()
    (course / ".grade" / "seed").write_text("424242\n")
    return course


@pytest.fixture(scope="session")
def theirs(handed_in: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy, autograded by nbgrader."""
    course = tmp_path_factory.mktemp("theirs") / "course"
    shutil.copytree(handed_in, course)
    command(course, "autograde", NAME, check=False)  # it fails for some
    return course


@pytest.fixture(scope="session")
def said(handed_in: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A copy, autograded by the batch, and what that said."""
    course = tmp_path_factory.mktemp("ours") / "course"
    shutil.copytree(handed_in, course)
    return course, batch(course, "--workers", "2", status=2)


@pytest.fixture(scope="session")
def ours(said: tuple[Path, subprocess.CompletedProcess[str]]) -> Path:
    """A copy, autograded by the batch."""
    return said[0]


# ── what is left behind ────────────────────────────────────────────────────────────────────────────

WHOSE = """
    FROM {table} AS one
    JOIN submitted_notebook ON submitted_notebook.id = one.notebook_id
    JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
    JOIN notebook ON notebook.id = submitted_notebook.notebook_id
    JOIN base_cell ON base_cell.id = one.cell_id
"""
ROWS = {
    "grades": "SELECT student_id, notebook.name, base_cell.name, auto_score, manual_score, extra_credit, "
    "needs_manual_grade" + WHOSE.format(table="grade"),
    "comments": "SELECT student_id, notebook.name, base_cell.name, auto_comment, manual_comment"
    + WHOSE.format(table="comment"),
    "notebooks": "SELECT student_id, notebook.name, flagged, late_submission_penalty FROM submitted_notebook "
    "JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id "
    "JOIN notebook ON notebook.id = submitted_notebook.notebook_id",
    "submissions": "SELECT student_id, timestamp, extension FROM submitted_assignment",
    "students": "SELECT id, first_name, last_name, email, lms_user_id FROM student",
    "courses": "SELECT id FROM course",
}


def rows(course: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All that a gradebook says of students, in an order of its own and without the ids that it draws."""
    with sqlite3.connect(course / "gradebook.db") as database:
        found = {name: sorted(database.execute(query).fetchall(), key=repr) for name, query in ROWS.items()}
    database.close()
    return found


def files(course: Path) -> dict[str, tuple[str, Any]]:
    """Every file and folder below autograded/: its mode and what is in it, drawn cell ids left out."""
    top = course / "autograded"
    return {
        str(path.relative_to(top)): (stat.filemode(path.stat().st_mode), _content(path))
        for path in sorted(top.rglob("*"))
    }


def _content(path: Path) -> Any:
    if path.is_dir():
        return None
    if path.suffix != ".ipynb":
        return path.read_bytes()
    notebook = json.loads(path.read_text(encoding="utf-8"))
    known = [cell for cell in notebook["cells"] if "nbgrader" in cell["metadata"]]
    for cell in known:
        del cell["id"]  # of a cell that was put back
    return notebook


def test_the_gradebook_is_the_same(theirs: Path, ours: Path) -> None:
    """Row for row: points, what waits for a reader, comments, lateness, the students that were not known."""
    expected, found = rows(theirs), rows(ours)
    assert len(expected["submissions"]) > 25
    for name in ROWS:
        assert found[name] == expected[name]


def test_the_autograded_folders_are_the_same(theirs: Path, ours: Path) -> None:
    """File for file: notebooks with their outputs, hints and metadata, files beside them, and who may write them."""
    expected, found = files(theirs), files(ours)
    assert found.keys() == expected.keys()
    assert [name for name in expected if found[name] != expected[name]] == []
    assert not {name.partition("/")[0] for name in found if name.endswith(FILE)} & NO_RESULT
    assert found[f"side-files/{NAME}/table.txt"][1] == b"the instructor's"


def test_who_could_not_be_graded_is_said(said: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    """By name and with the reason, and nobody else; the summary is of those who were."""
    _, done = said
    lines = [line for line in done.stderr.splitlines() if "nothing was recorded" in line]
    assert {line.removeprefix("grade: nothing was recorded of ").partition(":")[0] for line in lines} == FAILING
    assert "submissions graded" in done.stdout
    assert "Traceback" not in done.stderr


def test_what_waits_for_a_reader_comes_before_feedback(handed_in: Path, tmp_path: Path) -> None:
    """How many have answers to be marked by hand, and where, then feedback; also where some were not graded."""
    course = few(handed_in, tmp_path / "course", "full", "overflows", "unscaled", "broken-json")
    feedback = f"`nbgrader generate_feedback {NAME}`"
    for student in ("full", "overflows"):
        answer(course, student, "Unscaled scores grow with √d_k.")
    where = "in the course's folder `jupyter lab`, then Nbgrader > Formgrader > Manual Grading"
    marking = f"grade: 2 submissions have answers to be marked by hand: {where}"
    assert batch(course, status=2).stderr.splitlines()[-1] == marking
    shutil.rmtree(course / "submitted" / "broken-json")
    skipped = "grade: 3 were graded before, and no timestamp.txt says that they are newer; --force grades all again"
    after = f"grade: once they are marked, next is {feedback}"
    assert batch(course).stderr.splitlines()[-3:] == [skipped, marking, after]
    for student in ("full", "overflows"):
        mark_by_hand(course, student, 5.0, "written")
    assert batch(course).stderr.splitlines()[-2:] == [skipped, f"grade: next is {feedback}"]


def answer(course: Path, student: str, text: str) -> None:
    """Words in the cell that is marked by hand."""
    path = course / "submitted" / student / NAME / FILE
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "written":
            cell["source"] = text
    path.write_text(json.dumps(notebook), encoding="utf-8")


def test_formgrader_sees_the_same(theirs: Path, ours: Path) -> None:
    """What its pages are made from, submission by submission."""
    expected, found = shown_by_formgrader(theirs), shown_by_formgrader(ours)
    graded = {name for name, one in found.items() if one.get("autograded")}
    assert graded > {"full", "late"}
    assert not graded & NO_RESULT
    assert found == expected


def shown_by_formgrader(course: Path) -> dict[str, dict[str, Any]]:
    """Submissions by student, and notebooks, as formgrader's API has them, without the ids that the gradebook draws."""
    script = (
        "import json, sys\n"
        "from nbgrader.apps.api import NbGraderAPI\n"
        "from nbgrader.coursedir import CourseDirectory\n"
        f"api = NbGraderAPI(CourseDirectory(root={str(course)!r}))\n"
        f"print(json.dumps([api.get_submissions({NAME!r}), api.get_notebooks({NAME!r})]))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=course, capture_output=True, text=True, check=True)
    submissions, notebooks = json.loads(done.stdout.splitlines()[-1])
    return {one.get("student", "all"): {**one, "id": None} for one in (*submissions, *notebooks)}


def test_feedback_and_export_go_on_from_there(theirs: Path, ours: Path) -> None:
    """The other commands of nbgrader make the same pages and the same table."""
    for course in (theirs, ours):
        command(course, "generate_feedback", NAME)
        command(course, "export", "--to", "grades.csv")
    pages = {str(page.relative_to(theirs)) for page in theirs.glob(f"feedback/*/{NAME}/*.html")}
    assert {str(page.relative_to(ours)) for page in ours.glob(f"feedback/*/{NAME}/*.html")} == pages
    page = (ours / "feedback" / "unscaled" / NAME / f"{NAME}.html").read_text(encoding="utf-8")
    assert "Does not divide the scores by √d_k" in page
    assert "Hint 1" in page
    texts = [(course / "grades.csv").read_text(encoding="utf-8") for course in (theirs, ours)]
    tables = [sorted(csv.reader(text.splitlines())) for text in texts]
    assert tables[0] == tables[1]


# ── a second time ──────────────────────────────────────────────────────────────────────────────────


def change(course: Path) -> None:
    """What happens to a course after autograding: marks by hand, work handed in again, other rules."""
    mark_by_hand(course, "overflows", 1.5)
    mark_by_hand(course, "stub", 2.5)
    hand_in_again(course, "overflows", SOFTMAX, "2026-01-12 12:00:00 UTC")  # newer, and late
    hand_in_again(course, "stub", OVERFLOWS, "2026-01-08 12:00:00 UTC")  # older: nbgrader keeps what it has
    hand_in_again(course, "loud", OVERFLOWS, "")  # no timestamp: so here
    (course / "autograded" / "full" / NAME / FILE).unlink()  # one notebook gone, the folder still there
    shutil.rmtree(course / "autograded" / "unscaled")
    shutil.rmtree(course / "submitted" / "split-cell")
    copied(course, "full", "newcomer")
    with (course / "nbgrader_config.py").open("a") as config:
        config.write("\nc.LateSubmissionPlugin.penalty_method = 'zero'\n")


def mark_by_hand(course: Path, student: str, points: float, cell: str = "softmax-points") -> None:
    """What formgrader does where somebody marks a cell."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        grade = book.find_grade(cell, NAME, NAME, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        book.db.commit()


def hand_in_again(course: Path, student: str, softmax: str, when: str) -> None:
    """Another softmax, at another time."""
    folder = course / "submitted" / student / NAME
    notebook = json.loads((folder / FILE).read_text())
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "softmax":
            cell["source"] = softmax
    (folder / FILE).write_text(json.dumps(notebook))
    (folder / "timestamp.txt").write_text(when) if when else (folder / "timestamp.txt").unlink()


@pytest.fixture(scope="session")
def again(theirs: Path, ours: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Both copies, changed alike and autograded again."""
    folder = tmp_path_factory.mktemp("again")
    both = folder / "theirs", folder / "ours"
    for old, new in zip((theirs, ours), both, strict=True):
        shutil.copytree(old, new)
        change(new)
    command(both[0], "autograde", NAME, check=False)
    batch(both[1], status=2)
    return both


def test_work_handed_in_again_is_graded_where_nbgrader_would(again: tuple[Path, Path]) -> None:
    """The newer one, late and with a mark by hand; the older and the undated not; what was taken away is made anew."""
    theirs, ours = again
    assert rows(ours) == rows(theirs)
    assert files(ours) == files(theirs)
    recorded = gradebook(ours)
    assert recorded["overflows"]["late"] == 48 * 3600
    assert recorded["overflows"]["softmax"] == 30
    assert recorded["stub"]["softmax"] == recorded["loud"]["softmax"] == 30
    assert recorded["newcomer"]["attention"] == 50
    penalties = {student: penalty for student, _, _, penalty in rows(ours)["notebooks"]}
    assert penalties["overflows"] > 0
    assert penalties["late"] is None  # it was not graded again


def test_force_grades_everything_again(again: tuple[Path, Path], tmp_path: Path) -> None:
    """With --force, what is in autograded/ is made anew, as by nbgrader's."""
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    for old, new in zip(again, (theirs, ours), strict=True):
        shutil.copytree(old, new)
        for student in {path.name for path in (new / "submitted").iterdir()} - {"stub", "late", "loud", *FAILING}:
            shutil.rmtree(new / "submitted" / student)
    command(theirs, "autograde", NAME, "--force", check=False)
    done = batch(ours, "--force", status=2)
    assert "are graded already" not in done.stderr
    assert rows(ours) == rows(theirs)
    assert files(ours) == files(theirs)
    assert gradebook(ours)["stub"]["softmax"] == 23


def test_an_assignment_of_two_notebooks(handed_in: Path, tmp_path: Path) -> None:
    """Each is graded on its own, and one that was not handed in has no points: as nbgrader has it."""
    theirs = few(handed_in, tmp_path / "theirs", "full", "stub", "broken-json")
    shutil.copy(theirs / "source" / NAME / FILE, theirs / "source" / NAME / "second.ipynb")
    command(theirs, "generate_assignment", NAME, "--force")
    for student, old in (("full", "overflows"), ("broken-json", "full")):
        shutil.copy(handed_in / "submitted" / old / NAME / FILE, theirs / "submitted" / student / NAME / "second.ipynb")
    ours = tmp_path / "ours"
    shutil.copytree(theirs, ours)
    command(theirs, "autograde", NAME, check=False)
    batch(ours, status=2)
    found = rows(ours)
    assert found["submissions"] == rows(theirs)["submissions"]
    assert found["grades"] == rows(theirs)["grades"]
    assert files(ours) == files(theirs)
    points = {(student, notebook): score for student, notebook, cell, score, *_ in found["grades"] if "softmax" in cell}
    assert (points["full", NAME], points["full", "second"]) == (30, 23)
    assert points["stub", "second"] == 0


# ── stopped on the way ─────────────────────────────────────────────────────────────────────────────


def few(handed_in: Path, course: Path, *students: str) -> Path:
    """A copy of the course with these students alone."""
    shutil.copytree(
        handed_in, course, ignore=lambda path, names: {*names} - {*students} if path.endswith("submitted") else ()
    )
    return course


def test_killed_and_begun_again_it_is_as_if_nothing_had_been(handed_in: Path, ours: Path, tmp_path: Path) -> None:
    """SIGKILL at several moments: no student is half there, and the same command ends with the same gradebook."""
    names = ("full", "unscaled", "masked-late", "overflows", "stub", "syntax-error", "late", "copied-cells")
    course = few(handed_in, tmp_path / "course", *names)
    for finished in (1, 3, 6):
        ended_after(course, finished, signal.SIGKILL)
        done = {path.parent.parent.name for path in course.glob(f"autograded/*/{NAME}/{FILE}")}
        recorded = gradebook(course)
        assert {name for name in done if recorded[name]["attention"] is None} == set()
    batch(course)
    expected = rows(ours)
    for table in ("grades", "comments", "notebooks", "submissions"):
        assert rows(course)[table] == [row for row in expected[table] if row[0] in names]
    assert files(course) == {name: one for name, one in files(ours).items() if name.partition("/")[0] in names}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_told_to_stop_it_says_how_it_goes_on(handed_in: Path, tmp_path: Path, number: signal.Signals) -> None:
    """As every batch does: one line of its own, and the exit status of the signal."""
    course = few(handed_in, tmp_path / "course", "full", "unscaled", "masked-late", "overflows")
    running = ended_after(course, 1, number)
    assert running.returncode == 128 + number
    assert running.stderr.endswith("grade: stopped; the same command goes on from there.\n")


def ended_after(course: Path, finished: int, number: signal.Signals) -> subprocess.CompletedProcess[str]:
    """Begin a batch, and send it a signal when so many students are done."""
    command = [sys.executable, "-m", "grader", "nbgrader", "batch", str(course), "--workers", "1"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=pipe, text=True, start_new_session=True
    ) as running:
        limit = time.monotonic() + 120
        while len([*course.glob(f"autograded/*/{NAME}")]) < finished:
            assert running.poll() is None, "it was to be ended, not to end"
            assert time.monotonic() < limit
            time.sleep(0.005)
        running.send_signal(number)
        _, said = running.communicate(timeout=30)
    return subprocess.CompletedProcess(command, running.returncode, "", said)


# ── faults that are not the student's ──────────────────────────────────────────────────────────────


def test_a_fault_of_the_grader_records_nothing(handed_in: Path, tmp_path: Path) -> None:
    """Where cells have other points than their exercise nobody gets any, the reason is said, and the status is 2."""
    course = few(handed_in, tmp_path / "course", "full")
    source = course / "source" / NAME / FILE
    source.write_text(source.read_text().replace('"points": 30.0', '"points": 60.0'))
    command(course, "generate_assignment", NAME, "--force")
    done = batch(course, status=2)
    assert "cell softmax-points: 60 points, but its exercise has 30" in done.stderr
    assert gradebook(course)["full"]["softmax"] is None
    assert not (course / "autograded" / "full" / NAME).exists()


Put = Callable[[str, Any], None]


@pytest.mark.filterwarnings("ignore")
def test_a_record_that_is_no_grade_is_nobodys_zero(
    handed_in: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A student whose result the grader could not give is left as nbgrader leaves one it failed on; others are not."""
    from grader.nbgrader_batch import class_autograde
    from grader.nbgrader_gradebook import one_gradebook

    monkeypatch.setenv("GRADE_SEED_FILE", "")
    monkeypatch.setattr(sys, "path", [*sys.path])
    course = few(handed_in, tmp_path / "course", "full", "stub")
    monkeypatch.chdir(course)
    converter = class_autograde(course, force=False)
    part = {"html": "<p>so</p>", "text": "so"}
    cells = {name: {**part, "score": 1.0, "max_score": most} for name, most in [("softmax", 30.0), (NAME, 50.0)]}
    cells |= {"causal_mask": {**part, "score": 2.0, "max_score": 20.0}}
    cells |= {"quick-check": {**part, "score": 0.0, "max_score": 0.0}}
    fault = {"graded": False, "exercises": [{"notes": ["The grader failed here: no worker could start."]}]}
    with one_gradebook(converter.coursedir.db_url, "") as book:
        assert converter.open(book, NAME) == 2
        for entry in converter.entries():
            converter.read(entry)
            converter.put(entry, fault if entry.student == "stub" else {"graded": True, "cells": cells})
    assert converter.failed == {"stub": "The grader failed here: no worker could start."}
    recorded = gradebook(course)
    assert (recorded["full"]["causal_mask"], recorded["stub"]["causal_mask"]) == (2.0, None)
    assert [path.name for path in (course / "autograded").glob("*/*")] == [NAME]


def test_an_instructors_own_cell_where_notebooks_are_run(handed_in: Path, tmp_path: Path) -> None:
    """With EXECUTE, nbgrader runs each notebook and grades the instructor's cells; ours have the batch's points."""
    from tests.test_nbgrader import execute, with_own_cell

    course = few(handed_in, tmp_path / "course", "full")
    with_own_cell(course)
    execute(course)
    command(course, "generate_assignment", NAME, "--force")
    batch(course)
    recorded = gradebook(course)["full"]
    assert {name: recorded[name] for name in ("own", "softmax", NAME)} == {"own": 4, "softmax": 30, NAME: 50}


@pytest.mark.parametrize(
    ("spoil", "words", "says"),
    [
        (lambda course: (course / "nbgrader_config.py").unlink(), [], "there is no nbgrader_config.py in it"),
        (lambda course: (course / "nbgrader_config.py").write_text("1 / 0"), [], "division by zero"),
        (lambda course: None, ["--assignment", "another"], "the gradebook knows no assignment 'another'"),
        (lambda course: None, ["--assignment", "one+two"], "the gradebook knows no assignment 'one+two'"),
        (lambda course: shutil.rmtree(course / "submitted"), [], "No notebooks were matched"),
        (lambda course: shutil.rmtree(course), [], "there is no such folder"),
        (
            lambda course: (course / "nbgrader_config.py").write_text("c = get_config()"),
            [],
            "GradeCells is not in c.Autograde.autograde_preprocessors",
        ),
    ],
)
def test_what_cannot_be_graded_so_is_said(
    handed_in: Path, tmp_path: Path, spoil: Callable[[Path], Any], words: list[str], says: str
) -> None:
    """In one line with its remedy, with status 2, and before anything is written."""
    course = few(handed_in, tmp_path / "course", "full")
    spoil(course)
    done = batch(course, *words, status=2)
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not (course / "autograded").exists()
    assert not [*course.glob(".grade/*.jsonl")]
