"""Looking back: what is an attempt, how points went, which mistakes are behind, and how that is drawn.

The golden pages in tests/golden/progress are written anew by `python -m tests.test_progress`; read the difference.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from grader.errors import UsageError
from grader.progress import MOST_ATTEMPTS, PROGRESS, Attempts, Conquest, Progress, look_back, note_attempt
from grader.render.lines import cells
from grader.render.progress import render
from grader.report import ExerciseReport, Mistake, Receipt, Report
from tests.terminal import Emulated

GRADE = [sys.executable, "-W", "error", "-c", "from grader.cli import main; main(prog_name='grade')"]
GOLDEN = Path(__file__).parent / "golden" / "progress"
START = datetime(2025, 3, 1, 9, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
RECEIPT = Receipt("0", 0, "none", "0.1.0", "course-1", "3", "2")
POINTS = {"softmax": 30.0, "causal_mask": 20.0, "attention": 50.0}
TITLES = {
    "overflow": "Exponentiates large scores without subtracting the maximum",
    "missing-scaling": "Does not divide the scores by √d_k",
    "weak-mask": "Gives forbidden scores a value that is not negative enough",
}


def part(name: str, score: float, *codes: str) -> ExerciseReport:
    status = "passed" if score == POINTS[name] else "failed"
    return ExerciseReport(
        name, score, POINTS[name], status, mistakes=tuple(Mistake(c, "matched", c, "") for c in codes)
    )


def report(work: str, *parts: ExerciseReport, seed: int = 0, course: str = "course-1", graded: bool = True) -> Report:
    made = replace(RECEIPT, sha256=work, seed=seed, course_version=course)
    return Report("attention", "Attention", "here", graded, sum(p.score for p in parts), 100.0, made, parts)


def noted(reports: Sequence[Report]) -> Attempts:
    attempts = Attempts()
    for number, each in enumerate(reports):
        note_attempt(attempts, each, START + number * 7 * MINUTE)
    return attempts


def seen(reports: Sequence[Report]) -> Progress:
    return look_back(noted(reports), "attention", "Attention from the Math Up", POINTS)


# ── what is an attempt ─────────────────────────────────────────────────────────────────────────────


def test_the_same_work_again_is_no_attempt() -> None:
    """Not as a whole, and not one exercise of it; other work, another seed or another result is one."""
    whole = report("a", part("softmax", 12, "overflow"), part("attention", 0))
    assert len(noted([whole, whole]).tries) == 1
    assert len(noted([whole, report("a", part("softmax", 12, "overflow"))]).tries) == 1
    assert len(noted([whole, report("a", part("causal_mask", 20))]).tries) == 2
    assert len(noted([whole, report("a", part("causal_mask", 20)), whole]).tries) == 2
    assert len(noted([whole, report("b", part("softmax", 12, "overflow"))]).tries) == 2
    assert len(noted([whole, replace(whole, receipt=replace(whole.receipt, seed=7))]).tries) == 2
    assert len(noted([whole, report("a", part("softmax", 11, "overflow"))]).tries) == 2
    assert len(noted([whole, report("b", part("softmax", 30)), whole]).tries) == 3


def test_a_fault_of_the_graders_is_no_attempt() -> None:
    """Neither is it kept, nor does it stand between two runs of the same work."""
    whole = report("a", part("softmax", 12))
    broken = report("b", replace(part("softmax", 0), status="not-graded"), graded=False)
    assert noted([broken]).tries == []
    assert len(noted([whole, broken, whole]).tries) == 1


def test_attempts_are_bounded() -> None:
    """Those go first that changed nothing; the first and the last stay, and numbers go on."""
    idle = [report(f"idle-{number}", part("softmax", 1)) for number in range(MOST_ATTEMPTS)]
    busy = [report(f"busy-{number}", part("softmax", 1 + number % 7)) for number in range(1, 40)]
    attempts = noted([*idle, *busy])
    assert (len(attempts.tries), attempts.left_out) == (MOST_ATTEMPTS, 39)
    assert [each.sha256 for each in attempts.tries[-39:]] == [f"busy-{number}" for number in range(1, 40)]
    assert attempts.tries[0].sha256 == "idle-0"
    assert look_back(attempts, "attention", "", POINTS).points[-1].number == MOST_ATTEMPTS + 39
    restless = noted([report(str(number), part("softmax", 1 + number % 7)) for number in range(MOST_ATTEMPTS + 5)])
    assert restless.tries[0].sha256 == "0"
    assert restless.tries[-1].sha256 == str(MOST_ATTEMPTS + 4)


def test_attempts_are_written_and_read_back(tmp_path: Path) -> None:
    """In one small text file that says its version, and which version of the course each was graded with."""
    attempts = noted([report("a", part("softmax", 12.5, "overflow")), report("b", part("softmax", 30), course="two")])
    PROGRESS.save(tmp_path, attempts)
    assert PROGRESS.load(tmp_path) == (attempts, "")
    written = json.loads((tmp_path / ".grade" / "progress.json").read_text(encoding="utf-8"))
    assert (written["version"], written["tries"][1]["course_version"]) == (1, "two")
    assert written["tries"][0]["at"] == "2025-03-01T09:00:00+00:00"
    PROGRESS.save(tmp_path, noted([report(f"{n:064}", *(part(name, n % 19) for name in POINTS)) for n in range(999)]))
    assert (tmp_path / ".grade" / "progress.json").stat().st_size < 160_000


def damaged() -> Iterator[str]:
    sound = json.dumps({"version": 1, **PROGRESS.dump(noted([report("a", part("softmax", 12, "overflow"))]))})
    yield from ["", "[]", '{"version": 1}', sound[:90]]
    yield from [sound.replace("12", "NaN"), sound.replace("+00:00", ""), sound.replace('"overflow"', "{}, 3")[:-9]]


@pytest.mark.parametrize("text", list(damaged()))
def test_a_damaged_file_is_set_aside(tmp_path: Path, text: str) -> None:
    """And a note says so."""
    (tmp_path / ".grade").mkdir()
    (tmp_path / ".grade" / "progress.json").write_text(text, encoding="utf-8")
    attempts, note = PROGRESS.load(tmp_path)
    assert attempts == Attempts()
    assert "your progress starts again" in note
    assert (tmp_path / ".grade" / "progress.damaged-1.json").read_text(encoding="utf-8") == text


# ── looking back ───────────────────────────────────────────────────────────────────────────────────


def test_points_stand_until_an_exercise_is_graded_again() -> None:
    """One exercise graded alone leaves the others as they were; another course's attempts are passed over."""
    other = replace(report("x", part("softmax", 3)), course="other")
    past = seen([report("a", part("softmax", 12), part("attention", 5)), other, report("b", part("softmax", 30))])
    assert [point.score for point in past.points] == [17, 35]
    assert past.best == past.points[-1]
    assert past.points[0].scores == {"softmax": 12, "causal_mask": 0, "attention": 5}


@pytest.mark.parametrize(
    ("parts", "conquered"),
    [
        ([(12, "overflow"), (30,)], [(("overflow",), 18, 2)]),
        ([(12, "overflow", "weak-mask"), (30,)], [(("overflow", "weak-mask"), 18, 2)]),
        ([(12, "overflow", "weak-mask"), (20, "weak-mask"), (30,)], [(("overflow",), 8, 2), (("weak-mask",), 10, 3)]),
        ([(12, "overflow"), (0, "syntax-error")], []),
        ([(12, "overflow"), (0, "syntax-error"), (30,)], [(("overflow",), 18, 3), (("syntax-error",), 30, 3)]),
        ([(12, "overflow"), (30,), (12, "overflow")], []),
        ([(12, "overflow"), (30,), (12, "overflow"), (30,)], [(("overflow",), 18, 4)]),
        ([(12, "overflow"), (12, "weak-mask"), (25,)], [(("overflow",), 13, 3), (("weak-mask",), 13, 3)]),
        ([(0, "not-implemented"), (5, "unexplained"), (30,)], []),
    ],
)
def test_what_is_conquered(
    parts: list[tuple[float | str, ...]], conquered: list[tuple[tuple[str, ...], float, int]]
) -> None:
    """Named before, gone since, and points gained; neither what a syntax error hides nor what came back."""
    reports = [
        report(str(at), part("softmax", float(score), *map(str, codes))) for at, (score, *codes) in enumerate(parts)
    ]
    found = [(each.codes, each.gained, each.number) for each in seen(reports).conquests]
    assert sorted(found) == sorted(conquered)


def test_a_change_of_the_course_is_told() -> None:
    """Points before and after it may not be compared."""
    past = seen([report("a", part("softmax", 1)), report("b", part("softmax", 2), course="two")])
    assert past.changed == (2,)
    assert "The course itself was changed before attempt 2." in render(past, title_of)


# ── the page ───────────────────────────────────────────────────────────────────────────────────────


def title_of(_: str, code: str) -> str:
    return TITLES.get(code, "")


def a_week() -> Progress:
    steps = [
        [part("softmax", 0, "not-implemented"), part("causal_mask", 0), part("attention", 0)],
        [part("softmax", 23, "overflow"), part("causal_mask", 0), part("attention", 0)],
        [part("softmax", 0, "syntax-error"), part("causal_mask", 0), part("attention", 0)],
        [part("softmax", 30), part("causal_mask", 0), part("attention", 0)],
        [part("softmax", 30), part("causal_mask", 20), part("attention", 9.5, "missing-scaling", "weak-mask")],
        [part("softmax", 30), part("causal_mask", 20), part("attention", 31, "weak-mask")],
        [part("softmax", 30), part("causal_mask", 20), part("attention", 28.25, "weak-mask")],
    ]
    return seen([report(str(number), *parts) for number, parts in enumerate(steps)])


CASES: dict[str, Callable[[], Progress]] = {
    "none": lambda: seen([]),
    "one": lambda: seen([report("a", part("softmax", 12, "overflow"))]),
    "week": a_week,
    "many": lambda: seen([report(str(n), part("attention", round(50 * n / 199, 1))) for n in range(200)]),
}
DRAWN: dict[str, Callable[[Progress], str]] = {
    "80": lambda past: render(past, title_of, width=80, zone=UTC),
    "50": lambda past: render(past, title_of, width=50, zone=UTC),
    "words": lambda past: render(past, title_of, width=80, picture=False, zone=UTC),
}


@pytest.mark.parametrize("how", DRAWN)
@pytest.mark.parametrize("case", CASES)
def test_pages_are_the_golden_ones(case: str, how: str) -> None:
    """Every case is drawn as the page that was looked at and found good."""
    assert DRAWN[how](CASES[case]()) == (GOLDEN / f"{case}.{how}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("width", [20, 33, 50, 80, 200])
def test_lines_keep_to_the_width(case: str, width: int) -> None:
    """In colour or not, with the picture or in words; colour is an addition only."""
    for picture in (True, False):
        plain = render(CASES[case](), title_of, width=width, picture=picture, zone=UTC)
        assert all(cells(line) <= min(width, 80) for line in plain.splitlines())
        coloured = render(CASES[case](), title_of, width=width, picture=picture, colour=True, zone=UTC)
        assert "\x1b[" not in plain
        assert "\x1b[" in coloured


def test_the_picture_rises_only_where_points_do() -> None:
    """No points have no height, all have the whole, and a single one is seen."""
    heights = [
        render(seen([report("a", part("attention", score, "weak-mask"))]), title_of, zone=UTC) for score in (0, 0.1, 50)
    ]
    assert [text.count("█") + text.count("▁") for text in heights] == [0, 6, 3 * 6]
    full = render(seen([report("a", *(part(name, most) for name, most in POINTS.items()))]), title_of)
    assert full.count("█") == 6 * 6


# ── the command ────────────────────────────────────────────────────────────────────────────────────


def grade(cwd: Path, *args: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "GRADE_COURSE")}
    environment |= {"PYTHONPATH": str(Path(__file__).parents[1]), "COLUMNS": "80", **env}
    return subprocess.run(
        [*GRADE, *map(str, args)], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Path:
    (tmp_path / "exercises").mkdir()
    for name in POINTS:
        (tmp_path / "exercises" / f"{name}.py").write_text((root / "exercises" / f"{name}.py").read_text())
    return tmp_path


def attempts_in(workspace: Path) -> int:
    return len(PROGRESS.load(workspace)[0].tries)


def test_runs_in_a_workspace_are_attempts(workspace: Path, root: Path) -> None:
    """Those that say something new; with --submission none is, nor a hint; and progress shows them."""
    assert "no attempt yet" in grade(workspace, "progress").stdout
    assert grade(workspace).returncode == 1
    assert grade(workspace, "run", "softmax").returncode == 1
    assert grade(workspace, "run", "--submission", root / "solutions").returncode == 0
    grade(workspace, "hint")
    assert attempts_in(workspace) == 1
    (workspace / "exercises" / "softmax.py").write_text((root / "solutions" / "softmax.py").read_text())
    assert grade(workspace, "run", "softmax", "--format", "json", "--output", workspace / "r.json").returncode == 0
    assert attempts_in(workspace) == 2
    done = grade(workspace / "exercises", "progress")
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 attempts" in done.stdout
    assert "30 of 100, 30 more" in done.stdout
    assert "\x1b" not in done.stdout


def test_a_failing_grader_leaves_no_attempt(workspace: Path, root: Path) -> None:
    """Its report is shown; progress does not know of it."""
    script = (
        "import grader.worker.launch as launch\n"
        "from grader.errors import WorkerError\n"
        "class None_(launch.Warm):\n"
        "    def launch(self, bounds): raise WorkerError('no workers today')\n"
        "launch.make_launcher = None_\n"
        "from grader.cli import main; main(['run'])"
    )
    for name in POINTS:
        (workspace / "exercises" / f"{name}.py").write_text((root / "solutions" / f"{name}.py").read_text())
    done = subprocess.run([sys.executable, "-c", script], cwd=workspace, env={**os.environ, "PYTHONPATH": str(root)})
    assert done.returncode == 2
    assert attempts_in(workspace) == 0


def test_a_workspace_that_cannot_be_written_is_graded_all_the_same(workspace: Path) -> None:
    """The report and its exit status are as they were; a line says what is not remembered."""
    (workspace / ".grade").write_text("in the way")
    done = grade(workspace)
    assert done.returncode == 1
    assert "total: 0 of 100" in done.stdout
    assert "`grade progress` will not show this attempt" in done.stderr


def test_progress_outside_of_a_workspace_names_the_remedy(tmp_path: Path) -> None:
    """As `grade` does."""
    done = grade(tmp_path, "progress")
    assert (done.returncode, done.stdout) == (2, "")
    assert "grade start" in done.stderr


@pytest.mark.parametrize(("columns", "env"), [(80, {}), (50, {}), (80, {"NO_COLOR": "1"}), (50, {"NO_COLOR": "1"})])
def test_a_terminal_gets_the_picture(workspace: Path, root: Path, columns: int, env: dict[str, str]) -> None:
    """At any width; NO_COLOR takes nothing away but the colours."""
    PROGRESS.save(workspace, noted([report(str(n), part("attention", float(n))) for n in range(0, 50, 7)]))
    shown = Emulated([*GRADE, "progress"], workspace, columns=columns, lines=40, PYTHONPATH=str(root), **env)
    assert shown.end() == 0
    assert "▄" in shown.text or "▅" in shown.text
    assert "8 attempts" in shown.text
    assert "49 of 100" in shown.text
    assert (b"\x1b[" in shown.written) is not bool(env)
    shown.close()


def test_a_dumb_terminal_gets_words(workspace: Path, root: Path) -> None:
    """No picture, no sign that is not a word or a figure."""
    PROGRESS.save(workspace, noted([report("a", part("softmax", 12, "overflow")), report("b", part("softmax", 30))]))
    shown = Emulated([*GRADE, "progress"], workspace, PYTHONPATH=str(root), TERM="dumb")
    assert shown.end() == 0
    assert "Attempt 2," in shown.text
    assert "- softmax: " in shown.text
    assert shown.written.isascii() or "√".encode() in shown.written
    shown.close()


def test_a_conquest_names_its_gain() -> None:
    """In one sentence."""
    (each,) = seen([report("a", part("softmax", 29, "overflow")), report("b", part("softmax", 30))]).conquests
    assert each == Conquest("softmax", ("overflow",), 1, 2, START + 7 * MINUTE)
    assert "(overflow). 1 point gained at attempt 2." in " ".join(
        render(seen([report("a", part("softmax", 29, "overflow")), report("b", part("softmax", 30))]), title_of).split()
    )


def test_what_cannot_be_remembered_is_said(tmp_path: Path) -> None:
    """PROGRESS raises for a folder that cannot be written, as all of .grade/ does."""
    (tmp_path / ".grade").write_text("in the way")
    with pytest.raises(UsageError):
        PROGRESS.save(tmp_path, Attempts())


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for case, past in CASES.items():
        for how, draw in DRAWN.items():
            (GOLDEN / f"{case}.{how}.txt").write_text(draw(past()), encoding="utf-8")
