"""Looking back: what is an attempt, how points went, which mistakes are behind, and how that is drawn.

The golden pages in tests/golden/progress are written anew by `python -m tests.test_progress`; read the difference.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from grader.deck import QUIZ
from grader.errors import UsageError
from grader.progress import MOST_ATTEMPTS, PROGRESS, Attempts, Conquest, Progress, look_back, note_attempt
from grader.render.lines import cells
from grader.render.progress import render
from grader.report import ExerciseReport, Mistake, Receipt, Report
from grader.state import MAX_MEMORY_BYTES, load_state, save_state
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


def test_a_score_is_read_back_as_it_was_rounded(tmp_path: Path) -> None:
    """All of 66.66666666 points are 66.666667: no reason to set a file aside."""
    attempts = noted([report("a", ExerciseReport("softmax", 66.666667, 66.66666666, "passed"))])
    PROGRESS.save(tmp_path, attempts)
    assert PROGRESS.load(tmp_path) == (attempts, "")


def written(count: int) -> str:
    """A file of as many attempts, the third and every ninth of them idle."""
    (made,) = PROGRESS.dump(noted([report("a", part("softmax", 12, "overflow"))]))["tries"]
    tries = [made | {"sha256": str(number), "parts": {"softmax": scored(number)}} for number in range(count)]
    return json.dumps({"version": 1, "tries": tries, "left_out": 0})


def scored(number: int) -> dict[str, Any]:
    return {"score": number % 9 if number > 3 else 1, "max_score": 30, "mistakes": []}


def test_a_long_file_is_read_once_and_shortened(tmp_path: Path) -> None:
    """Ten thousand attempts cost no noticeable time, and only as many as are kept are looked at."""
    (tmp_path / ".grade").mkdir()
    (tmp_path / ".grade" / "progress.json").write_text(written(10_000))
    began = time.process_time()
    attempts, note = PROGRESS.update(
        tmp_path, lambda each: note_attempt(each, report("new", part("softmax", 30)), START)
    )
    assert time.process_time() - began < 3
    assert (len(attempts.tries), attempts.left_out, note) == (MOST_ATTEMPTS, 9_801, "")
    assert [attempts.tries[place].sha256 for place in (0, 1, -1)] == ["0", "9802", "new"]
    assert PROGRESS.load(tmp_path) == (attempts, "")


def test_what_goes_first_is_what_went_one_at_a_time(tmp_path: Path) -> None:
    """Bounded all at once, as many are left as when each new attempt pushed one out."""
    (tmp_path / ".grade").mkdir()
    (tmp_path / ".grade" / "progress.json").write_text(written(230))
    tries = [str(number) for number in range(230)]
    scores = {name: scored(int(name))["score"] for name in tries}
    for _ in range(230 - MOST_ATTEMPTS):
        del tries[next((at for at, (a, b) in enumerate(pairwise(tries), 1) if scores[a] == scores[b]), 1)]
    assert [each.sha256 for each in PROGRESS.load(tmp_path)[0].tries] == tries


def damaged() -> Iterator[str]:
    sound = json.dumps({"version": 1, **PROGRESS.dump(noted([report("a", part("softmax", 12.0, "overflow"))]))})
    yield from ["", "[]", '{"version": 1}', sound[:90]]
    yield from [sound.replace("12.0", "NaN"), sound.replace("+00:00", ""), sound.replace('"overflow"', "{}, 3")[:-9]]
    for score in ("-1.0", "30.1", "1e308", "1e999", "true", '"12"', "1" + 400 * "0"):
        yield sound.replace("12.0", score)
    yield sound.replace("12.0", "1e308").replace("30.0", "1e308")
    for year in ("0001", "1969", "3000", "9999"):
        yield sound.replace("2025", year)
    for left_out in ("-5", "1e3", "true", "1" + 100 * "0"):
        yield sound.replace('"left_out": 0', f'"left_out": {left_out}')
    yield from [
        sound.replace('"seed": 0', '"seed": -1'),
        sound.replace('"overflow"', "7"),
        sound.replace('"a"', "null"),
    ]


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
        ([(12, "overflow"), (30,), (0, "missing-function"), (30,)], [(("overflow",), 18, 2)]),
        ([(30,), (0, "missing-function"), (30,)], []),
        ([(30,), (0, "syntax-error"), (0, "import-error"), (20, "overflow"), (30,)], [(("overflow",), 0, 5)]),
        ([(30,), (0, "timeout"), (30,)], [(("timeout",), 0, 3)]),
        (
            [(11, "weak-mask"), (0, "timeout"), (0, "syntax-error"), (0, "missing-function"), (30,)],
            [(("weak-mask", "timeout", "syntax-error", "missing-function"), 19, 5)],
        ),
        (
            [(11, "weak-mask"), (30,), (0, "timeout"), (0, "syntax-error"), (0, "missing-function"), (30,)],
            [(("weak-mask",), 19, 2), (("timeout",), 0, 6)],
        ),
        ([(12, "overflow"), (30,)], [(("overflow",), 18, 2)]),
        ([(12, "overflow", "weak-mask"), (30,)], [(("overflow", "weak-mask"), 18, 2)]),
        ([(12, "overflow", "weak-mask"), (20, "weak-mask"), (30,)], [(("overflow",), 8, 2), (("weak-mask",), 10, 3)]),
        ([(12, "overflow"), (0, "syntax-error")], []),
        ([(12, "overflow"), (0, "syntax-error"), (30,)], [(("overflow", "syntax-error"), 18, 3)]),
        ([(12, "overflow"), (30,), (12, "overflow")], []),
        ([(12, "overflow", "weak-mask"), (30,), (20, "weak-mask")], [(("overflow",), 0, 2)]),
        ([(12, "overflow"), (30,), (12, "overflow"), (30,)], [(("overflow",), 0, 4)]),
        ([(12, "overflow"), (12, "weak-mask"), (25,)], [(("overflow", "weak-mask"), 13, 3)]),
        ([(0, "not-implemented"), (5, "unexplained"), (30,)], []),
    ],
)
def test_what_is_conquered(
    parts: list[tuple[float | str, ...]], conquered: list[tuple[tuple[str, ...], float, int]]
) -> None:
    """Named before, gone since, and more points than with it; neither what a syntax error hides nor what came back.

    Points are told once for an attempt, over the best before; a file put back where it was is no conquest.
    """
    reports = [
        report(str(at), part("softmax", float(score), *map(str, codes))) for at, (score, *codes) in enumerate(parts)
    ]
    found = [(each.codes, each.gained, each.number) for each in seen(reports).conquests]
    assert sorted(found) == sorted(conquered)
    assert sum(gained for _, gained, _ in found) <= POINTS["softmax"]


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
    """To change into one, or to make one: there is nothing else that it could look back on."""
    done = grade(tmp_path, "progress")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Change into your workspace, or make one with `grade start my-work`." in done.stderr


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


def test_what_is_conquered_again_names_no_gain() -> None:
    """What had all its points before gains none; it is behind all the same."""
    steps = [part("softmax", 30), part("softmax", 9, "overflow", "weak-mask", "odd"), part("softmax", 30)]
    past = " ".join(render(seen([report(str(at), each) for at, each in enumerate(steps)]), title_of).split())
    assert "(overflow), Gives forbidden" in past
    assert "(weak-mask) and odd. Behind you since attempt 3." in past
    assert "gained" not in past


def test_what_cannot_be_remembered_is_said(tmp_path: Path) -> None:
    """PROGRESS raises for a folder that cannot be written, as all of .grade/ does."""
    (tmp_path / ".grade").write_text("in the way")
    with pytest.raises(UsageError):
        PROGRESS.save(tmp_path, Attempts())


@pytest.mark.parametrize("at", ["1970-01-01T00:00:00+00:00", "2999-12-31T23:59:59+00:00"])
@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_the_first_and_the_last_time_are_shown_in_every_zone(workspace: Path, at: str, zone: str) -> None:
    """So no file that is read ends the command."""
    attempts = noted([report("a", part("softmax", 12))])
    attempts.tries[0] = replace(attempts.tries[0], at=at)
    PROGRESS.save(workspace, attempts)
    done = grade(workspace, "progress", TZ=zone)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 attempt, " in done.stdout


# ── the workspace of a stranger ────────────────────────────────────────────────────────────────────

LOADS: dict[str, Callable[[Path], tuple[object, str]]] = {
    "progress": PROGRESS.load,
    "quiz": QUIZ.load,
    "state": load_state,
}


@pytest.fixture(params=["descriptors", "paths"])
def folders(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders as they are opened here, and as they are found where a system, Windows, opens none."""
    if request.param == "paths":
        monkeypatch.setattr(os, "supports_dir_fd", frozenset())


def outside(tmp_path: Path, name: str) -> Path:
    path = tmp_path / name
    path.write_text("not the workspace's")
    return path


def test_links_in_a_workspace_lead_grade_nowhere(workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """`grade` overwrites nothing that files of `.grade/` point at, and keeps its own in their place."""
    away = tmp_path_factory.mktemp("away")
    links = [".gitignore", "progress.json.part", "quiz.json.part", "progress.json", "quiz.json", "state.json"]
    (workspace / ".grade").mkdir()
    for name in links:
        (workspace / ".grade" / name).symlink_to(outside(away, name))
    done = grade(workspace)
    assert grade(workspace, "hint").returncode == 0
    assert done.returncode == 1
    assert done.stderr.count("set aside as") == 2
    assert {path.read_text() for path in away.iterdir()} == {"not the workspace's"}
    assert attempts_in(workspace) == 1
    assert (workspace / ".grade" / "progress.damaged-1.json").readlink() == away / "progress.json"


@pytest.mark.usefixtures("folders")
@pytest.mark.parametrize("target", [".", "away", "nowhere", "file"])
def test_a_folder_that_is_a_link_is_refused(tmp_path: Path, target: str) -> None:
    """Wherever it leads, and nothing is kept there; what there is to do is said."""
    (tmp_path / "away").mkdir()
    outside(tmp_path, "file")
    outside(tmp_path, ".gitignore")
    (tmp_path / ".grade").symlink_to(target)
    before = sorted(tmp_path.rglob("*"))
    for attempt in (
        lambda: PROGRESS.save(tmp_path, Attempts()),
        lambda: PROGRESS.update(tmp_path, lambda _: True),
        lambda: PROGRESS.load(tmp_path),
        lambda: save_state(tmp_path, load_state(tmp_path)[0]),
    ):
        with pytest.raises(UsageError, match="this is a link, not a folder"):
            attempt()
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / ".gitignore").read_text() == "not the workspace's"


def test_a_workspace_whose_folder_is_a_link_is_graded_all_the_same(workspace: Path) -> None:
    """And the note says what to do."""
    (workspace / ".gitignore").write_text("mine")
    (workspace / ".grade").symlink_to(".")
    done = grade(workspace)
    assert (done.returncode, (workspace / ".gitignore").read_text()) == (1, "mine")
    assert "total: 0 of 100" in done.stdout
    assert "this is a link, not a folder" in done.stderr
    assert "move this away" in done.stderr


@pytest.mark.usefixtures("folders")
@pytest.mark.parametrize("kind", ["zero", "pipe", "folder", "socket", "link", "large"])
@pytest.mark.parametrize("name", LOADS)
def test_only_files_of_a_bounded_size_are_read(
    tmp_path: Path, name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither waited for nor read without end: set aside as it is, and a line says so."""
    (tmp_path / ".grade").mkdir()
    monkeypatch.chdir(tmp_path / ".grade")
    put_there(Path(f"{name}.json"), kind)
    before = os.lstat(f"{name}.json")
    content, note = LOADS[name](tmp_path)
    assert content == LOADS[name](tmp_path)[0]
    assert f"could not be read and was set aside as {name}.damaged-1.json" in note
    assert os.lstat(f"{name}.damaged-1.json").st_ino == before.st_ino


SOUND = '{"version": 1, "tries": [], "left_out": 0, "cards": {}, "noted": {}, "events": [], "rungs": {}}'


def put_there(path: Path, kind: str) -> None:
    if kind == "zero":
        path.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as there:
            there.bind(str(path))
    elif kind == "link":
        path.symlink_to("sound")
        Path("sound").write_text(SOUND)
    else:
        path.write_text(SOUND.ljust(MAX_MEMORY_BYTES + 1))


@pytest.mark.parametrize("name", LOADS)
def test_a_file_of_the_bounded_size_is_read(tmp_path: Path, name: str) -> None:
    """One byte less is no damage."""
    (tmp_path / ".grade").mkdir()
    (tmp_path / ".grade" / f"{name}.json").write_text(SOUND.ljust(MAX_MEMORY_BYTES))
    assert LOADS[name](tmp_path)[1] == ""


def test_what_was_set_aside_before_stays(tmp_path: Path) -> None:
    """A link that leads nowhere has a name too."""
    (tmp_path / ".grade").mkdir()
    (tmp_path / ".grade" / "progress.damaged-1.json").symlink_to("nowhere")
    (tmp_path / ".grade" / "progress.json").write_text("{")
    assert "progress.damaged-2.json" in PROGRESS.load(tmp_path)[1]
    assert (tmp_path / ".grade" / "progress.damaged-1.json").is_symlink()


@pytest.mark.usefixtures("folders")
def test_an_ignore_file_of_ones_own_stays(tmp_path: Path) -> None:
    """It is made once, where there is none; beside the memory nothing is left lying."""
    PROGRESS.save(tmp_path, Attempts())
    assert (tmp_path / ".grade" / ".gitignore").read_text() == "*\n"
    (tmp_path / ".grade" / ".gitignore").write_text("mine")
    PROGRESS.save(tmp_path, Attempts())
    assert (tmp_path / ".grade" / ".gitignore").read_text() == "mine"
    assert sorted(path.name for path in (tmp_path / ".grade").iterdir()) == [".gitignore", "progress.json"]


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for case, past in CASES.items():
        for how, draw in DRAWN.items():
            (GOLDEN / f"{case}.{how}.txt").write_text(draw(past()), encoding="utf-8")
