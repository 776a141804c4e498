"""`grade explore`: experiments on the student's own functions say what is so, and draw it.

The golden pages in tests/golden/explore are written anew by `python -m tests.test_explore`; read the difference.
"""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from click.testing import CliRunner

from grader.cli import main
from grader.course import Course, load_course
from grader.errors import CourseError, UsageError
from grader.explore import Laboratory, NothingToShow, choose, load_experiments
from grader.finding import Bars, Curves, Finding, Grid, Line, Measured
from grader.render import figure, picture
from grader.render.lines import cells
from grader.submission import read_submission
from grader.worker.launch import Launcher, make_launcher

ROOT = Path(__file__).parents[1]
GOLDEN = Path(__file__).parent / "golden" / "explore"
CASES = ROOT / "tests" / "submissions"
NAMES = ("scaling", "lookup", "masking", "float16", "stability", "cost")
WIDTHS = (4, 16, 64, 256)

Find = Callable[..., Finding]


@pytest.fixture
def find(course: Course, launcher: Launcher) -> Find:
    """Do an experiment on a submission, by default the solutions."""
    return found_by(course, launcher)


def found_by(course: Course, launcher: Launcher) -> Find:
    def found(what: str, submission: Path = ROOT / "solutions", seed: int = 0) -> Finding:
        experiment = choose(load_experiments(course), what)
        with Laboratory(course, read_submission(submission), launcher, seed) as laboratory:
            return experiment.run(laboratory)

    return found


def line(finding: Finding, place: int, name: str) -> tuple[float, ...]:
    """The values of a line in the plot at that place."""
    curves = finding.pictures[place]
    assert isinstance(curves, Curves)
    return next(each.values for each in curves.lines if each.name == name)


# ── what the solutions show ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_scaling_shows_the_variance_and_a_slope(find: Find, seed: int) -> None:
    """The drawn variance of q·k is within 5 % of d_k, labelled theory; scaled scores keep variance and slope."""
    finding = find("scaling", seed=seed)
    assert line(finding, 0, "d_k (theory)") == WIDTHS
    assert line(finding, 0, "q·k, drawn") == pytest.approx(WIDTHS, rel=0.05)
    assert line(finding, 0, "yours") == pytest.approx([1] * 4, rel=0.1)
    assert min(line(finding, 1, "yours")) > 1.9
    assert min(line(finding, 2, "yours")) > 0.8
    assert line(finding, 1, "yours") == pytest.approx(line(finding, 1, "with √d_k"), abs=1e-6)
    assert max(line(finding, 2, "without")[-1], line(finding, 1, "without")[-1]) < 0.03
    assert "1/√256" in finding.conclusion
    assert not finding.remarks


def test_scaling_agrees_with_the_lesson(find: Find) -> None:
    """The lesson's table, measured on other numbers, is what the student's own function gives, to about 3 %."""
    finding = find("scaling")
    assert line(finding, 2, "yours") == pytest.approx((0.838, 0.828, 0.829, 0.825), rel=0.03)
    assert line(finding, 2, "without")[:2] == pytest.approx((0.700, 0.411), rel=0.05)


def test_lookup_shows_it_on_its_noun(find: Find) -> None:
    """The row of 'it' is the lesson's, with 0.830 on 'cat', and its output says animal."""
    finding = find("lookup")
    grid = finding.pictures[0]
    assert isinstance(grid, Grid)
    row = grid.numbers[grid.rows.index("it")]
    assert [round(value, 3) for value in row] == [0.015, 0.830, 0.041, 0.015, 0.041, 0.015, 0.041]
    assert "'it' gives 0.830 of its attention to 'cat'" in finding.conclusion
    assert "(0.830, 0.041, 0.041)" in finding.conclusion
    assert not finding.remarks


def test_masking_shows_row_sums_and_the_leak(find: Find) -> None:
    """Before the softmax every row sums to 1 and nothing leaks; after it the lesson's numbers: 0.943, 0.830, 0.464."""
    before, after, cat = find("masking").pictures
    assert isinstance(before, Grid)
    assert isinstance(after, Grid)
    assert isinstance(cat, Bars)
    assert [sum(row) for row in before.numbers] == pytest.approx([1] * 7)
    assert sum(after.numbers[4]) == pytest.approx(0.943, abs=5e-4)
    assert sum(after.numbers[0]) == pytest.approx(1 / 7)
    assert [round(value, 3) for value in cat.values] == [0.880, 0.880, 0.830, 0.464]


def test_float16_shows_where_scores_leave_the_range(find: Find) -> None:
    """Raw scores leave it at entries of 32, scaled ones at 91, and the weights stay right throughout."""
    finding = find("float16")
    assert "from entries of 32 on (64 · 32² = 65,536), scaled ones from 91 on" in finding.conclusion
    bars = finding.pictures[1]
    assert isinstance(bars, Bars)
    assert bars.values == pytest.approx([1] * len(bars.values), abs=1e-3)


def test_stability_shows_where_the_naive_softmax_ends(find: Find) -> None:
    """The naive softmax gives nan beyond 707, the shifted one the right weight at every shift."""
    finding = find("stability")
    naive = dict(zip(finding.pictures[0].at, line(finding, 0, "naive"), strict=True))
    assert math.isnan(naive[708])
    assert naive[707] == pytest.approx(0.665, abs=1e-3)
    assert line(finding, 0, "yours") == pytest.approx([0.66524] * 10, abs=1e-4)


def test_cost_fits_an_exponent_near_two(find: Find) -> None:
    """Time and memory grow as n² up to 4,096 tokens, where weights alone would be 40 GB at 100,000."""
    for _ in range(3):  # others may use this machine too
        finding = find("cost")
        grows = float(re.search(r"n\^([\d.]+)", finding.conclusion)[1])
        if 1.7 <= grows <= 2.3:
            break
    assert 1.7 <= grows <= 2.3
    assert finding.pictures[0].at[-1] == 4096
    held = line(finding, 1, "yours, at most")
    if not math.isnan(held[-1]):  # where the system says what memory a process takes
        assert 67 < held[-1] < 800
        assert 1.7 <= float(re.search(r"memory as n\^([\d.]+)", finding.conclusion)[1]) <= 2.3
    assert "100,000 tokens" in finding.conclusion
    assert "40 GB" in finding.conclusion
    assert not finding.remarks


# ── what mistakes show ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("case", ["float64", "loops", "cancels"])
def test_without_scaling_the_softmax_collapses(find: Find, case: str) -> None:
    """Entropy and slope of an unscaled attention go to 0, and its scores have the variance of q·k."""
    finding = find("scaling", CASES / f"attention-missing-scaling-{case}")
    assert line(finding, 0, "yours") == pytest.approx(WIDTHS, rel=0.1)
    assert line(finding, 1, "yours")[-1] < 0.03
    assert line(finding, 2, "yours")[-1] < 0.01
    assert "collapsed" in finding.conclusion
    assert "1.0000" in finding.remarks[0]


def test_another_scaling_is_recovered_from_the_weights(find: Find) -> None:
    """An attention that divides by d_k multiplies q·k by 0.0039 at d_k = 256, and is told so."""
    finding = find("scaling", CASES / "attention-wrong-scaling-d-k")
    assert "multiplies q·k by 0.0039" in finding.conclusion
    assert "1/√256 = 0.0625" in finding.remarks[0]


@pytest.mark.parametrize(
    ("what", "case", "words"),
    [
        ("lookup", "attention-missing-scaling-float64", "'it' gives 0.992"),
        ("masking", "attention-mask-after-softmax-not-renormalised", "or 0.464 once"),
        ("masking", "attention-mask-ignored-unused", "or 0.464 once"),
        ("float16", "attention-half-precision-overflow-textbook", "gives nan from entries of 32 on"),
        ("stability", "softmax-bare-exp", "not at -10,000, -1,000, 708, 1,000, 10,000"),
    ],
)
def test_mistakes_show_and_lead_to_grade(find: Find, what: str, case: str, words: str) -> None:
    """What is not right is in the conclusion, and a remark says what to type next."""
    finding = find(what, CASES / case)
    assert words in finding.conclusion
    assert "`grade run " in finding.remarks[0]


def test_a_slow_attention_is_measured_on_shorter_texts(find: Find) -> None:
    """Python loops get as far as the time for a call goes, and the finding says so."""
    finding = find("cost", CASES / "right-beginner-loops")
    assert finding.pictures[0].at[-1] < 1024
    assert "processor time and was stopped" in finding.remarks[0]


NOTHING = [
    "attention-timeout-always",
    "attention-no-softmax-plain",
    "attention-out-of-memory-largest-size",
    "attention-syntax-error-bracket",
    "attention-missing-function-long-name",
    "attention-wrong-shape-batch-axis",
    "attention-raises-undefined-name",
    "attention-returns-tuple-named",
    "attention-wrong-type-list",
    "attention-crash-abort",
    "attention-import-error-torch",
]


@pytest.mark.parametrize("case", NOTHING)
def test_what_gives_nothing_is_told_why(find: Find, case: str) -> None:
    """A function that cannot be explored ends the experiment with a sentence, never with an error of ours."""
    with pytest.raises(NothingToShow) as nothing:
        find("lookup", CASES / case)
    assert nothing.value.whose == "your attention"
    assert nothing.value.why
    assert nothing.value.grade == "grade run attention"


@pytest.mark.parametrize("what", NAMES)
def test_stubs_give_nothing_to_any_experiment(find: Find, what: str) -> None:
    """Before it is written, every experiment says so."""
    with pytest.raises(NothingToShow, match="Not implemented yet"):
        find(what, ROOT / "exercises")


def test_student_code_runs_in_a_worker(find: Find, tmp_path: Path) -> None:
    """It is no more in the grader's process than when it is graded: it can end its own alone, and open no file."""
    work = tmp_path / "attention.py"
    work.write_text("import os\n\ndef attention(Q, K, V, mask=None):\n    os._exit(0)\n", encoding="utf-8")
    with pytest.raises(NothingToShow, match="ended its process"):
        find("lookup", work)
    work.write_text("def attention(Q, K, V, mask=None):\n    return open('/etc/passwd')\n", encoding="utf-8")
    with pytest.raises(NothingToShow):
        find("lookup", work)


# ── experiments without a worker ───────────────────────────────────────────────────────────────────


class Arithmetic:
    """A laboratory whose attention takes exactly so many seconds and bytes."""

    label = "yours"

    def __init__(self, seconds: Callable[[int], float], limit: int = 10_000, held: float = 20.0) -> None:
        self.rng = np.random.default_rng(0)
        self.seconds, self.limit, self.held = seconds, limit, held
        self.said: list[str] = []

    def ask(self, function: str, shape: tuple[int, ...], *args: Any, **named: Any) -> Any:
        return np.zeros(shape)

    def measure(self, function: str, *args: Any, **named: Any) -> Measured:
        n = len(args[0])
        why = "" if n <= self.limit else "ran for more than 2 s of processor time and was stopped"
        return Measured(self.seconds(n), self.held * n**2, why)

    def refuse(self, function: str, why: str) -> Any:
        raise NothingToShow(self.whose(function), why, self.grade(function))

    def whose(self, function: str) -> str:
        return f"your {function}"

    def grade(self, function: str) -> str:
        return f"grade run {function}"

    def say(self, words: str) -> None:
        self.said.append(words)


def cost_of(lab: Arithmetic) -> Finding:
    run: Any = choose(load_experiments(load_course(ROOT)), "cost").run
    return run(lab)


@pytest.mark.parametrize("power", [1.0, 2.0, 3.0])
def test_the_exponent_is_the_one_that_is_there(power: float) -> None:
    """What grows as a power of n is fitted to that power, and progress is told for each length."""
    lab = Arithmetic(lambda n: 1e-9 * n**power)
    assert f"grows as n^{power:.2f} and its memory as n^2.00" in cost_of(lab).conclusion
    assert lab.said[:2] == ["n = 32", "n = 64"]


def test_memory_that_is_not_known_is_not_told() -> None:
    """Where the system does not say what memory a process takes, the weights alone are worked out."""
    finding = cost_of(Arithmetic(lambda n: 1e-9 * n**2, held=0.0))
    assert "grows as n^2.00 (theory: n²)" in finding.conclusion
    assert "40 GB" in finding.conclusion
    assert "memory as" not in finding.conclusion
    assert "nan" in picture.render(finding, width=80)


def test_too_slow_to_be_measured_is_said() -> None:
    """Fewer than three lengths tell nothing."""
    with pytest.raises(NothingToShow, match="too slow to be measured"):
        cost_of(Arithmetic(lambda n: 1e-9 * n**2, limit=64))


# ── the course's side ──────────────────────────────────────────────────────────────────────────────


def test_the_experiments_are_the_lessons(course: Course) -> None:
    """Six of them, each with a line that says what it shows."""
    experiments = load_experiments(course)
    assert tuple(each.name for each in experiments) == NAMES
    assert all(each.about for each in experiments)


def test_a_course_need_not_have_any(tiny: Course) -> None:
    """It is said in words."""
    with pytest.raises(UsageError, match="no experiments"):
        load_experiments(tiny)


@pytest.mark.parametrize("text", ["EXPERIMENTS = {'x': 'y'}", "import nothing_of_that_name", "1 +", "x = 1"])
def test_a_faulty_file_is_the_courses_fault(course: Course, tmp_path: Path, text: str) -> None:
    """What is wrong with it is named with its file."""
    from dataclasses import replace

    file = tmp_path / "experiments.py"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CourseError, match=r"experiments\.py"):
        load_experiments(replace(course, experiments=file))


def test_an_unknown_experiment_names_the_nearest(course: Course) -> None:
    """A slip of the fingers is answered with the name that was meant."""
    with pytest.raises(UsageError, match="Did you mean 'scaling'"):
        choose(load_experiments(course), "scalling")


# ── pictures ───────────────────────────────────────────────────────────────────────────────────────

ODD = Finding(
    title="A title \x1b[31m that would colour the screen",
    conclusion="One sentence.",
    pictures=(
        Curves("Nothing there", "x", "y", (1.0,), (Line("a", (math.nan,)),)),
        Curves("Flat at 0", "x", "y", (1.0, 2.0), (Line("a", (0.0, 0.0)), Line("b", (math.inf, -1.0))), "log", "log"),
        Curves("A long name", "x" * 40, "y" * 90, (1e-9, 1e9), (Line("name " * 9, (1e12, -1e-12)), Line("b", (1, 2)))),
        Grid("Not numbers", ("a", "b"), ("c", "d"), ((math.nan, math.inf), (-1.0, 0.0)), sums=True),
        Bars("Beyond the end", ("over", "under", "none"), (7.0, -3.0, math.nan)),
    ),
    remarks=("Something is wrong.",),
)


@pytest.mark.parametrize("width", [50, 80, 100])
@pytest.mark.parametrize("colour", [False, True])
def test_whatever_the_numbers_a_picture_fits(width: int, colour: bool) -> None:
    """Numbers that are none, or very large, are drawn within the width, and no stranger's text colours the screen."""
    text = picture.render(ODD, width=width, colour=colour)
    plain = re.sub(r"\x1b\[[\d;]*m", "", text)
    assert all(cells(each) <= width for each in plain.splitlines())
    assert "\x1b[31m" not in text
    assert ("\x1b[" in text) == colour
    assert plain == picture.render(ODD, width=width)
    assert "nan" in plain


@pytest.mark.parametrize(
    ("value", "words"),
    [(65536, "65,536"), (253.06, "253.1"), (12.345, "12.35"), (0.8291, "0.829"), (1.2e-5, "1.2e-05"), (0, "0"),
     (math.nan, "nan"), (-math.inf, "-inf"), (1e12, "1.0e+12")],
)  # fmt: skip
def test_numbers_are_short(value: float, words: str) -> None:
    """Four figures or so."""
    assert picture.figure(value) == words


@pytest.mark.parametrize("finding", [ODD, "masking", "scaling"], ids=["odd", "masking", "scaling"])
def test_files_are_pictures(find: Find, finding: Any) -> None:
    """PNG and SVG are what they say, large enough to read, and the same for the same finding."""
    pytest.importorskip("matplotlib", reason="matplotlib comes with the extra `plot`")
    finding = find(finding) if isinstance(finding, str) else finding
    png, svg = figure.render(finding, "png"), figure.render(finding, "svg")
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(png[16:20]) > 1000
    assert ET.fromstring(svg).tag.endswith("svg")
    assert figure.render(finding, "svg") == svg
    assert figure.render(finding, "png") == png


# ── the command ────────────────────────────────────────────────────────────────────────────────────


def run(*args: str | Path, cwd: Path = ROOT, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-c", "from grader.cli import main; main(prog_name='grade')", "explore"]
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "GRADE_COURSE")}
    return subprocess.run(
        [*command, *map(str, args)],
        cwd=cwd,
        env=environment | {"PYTHONPATH": str(ROOT), **env},
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        check=False,
    )


def test_alone_it_lists_the_experiments(tmp_path: Path) -> None:
    """One name a line with what it shows, and where to begin; no workspace is needed."""
    done = run(cwd=tmp_path)
    assert done.returncode == 0
    assert [each for each in NAMES if re.search(rf"^{each} ", done.stdout, re.MULTILINE)] == list(NAMES)
    assert "grade explore scaling --reference" in done.stdout
    assert all(len(each) <= 110 for each in done.stdout.splitlines())


def test_the_reference_needs_no_workspace(tmp_path: Path) -> None:
    """The course's own functions, called so, in plain words where nobody looks at a terminal."""
    done = run("lookup", "--reference", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "0.830" in done.stdout
    assert "\x1b[" not in done.stdout


def test_a_workspace_is_explored_from_inside(tmp_path: Path) -> None:
    """The functions of the workspace it is run in; a stub is answered kindly, with exit status 1."""
    (tmp_path / "exercises").mkdir()
    for name in ("softmax", "attention", "causal_mask"):
        text = (ROOT / "solutions" / f"{name}.py").read_text(encoding="utf-8")
        (tmp_path / "exercises" / f"{name}.py").write_text(text, encoding="utf-8")
    done = run("float16", cwd=tmp_path / "exercises")
    assert done.returncode == 0
    assert "your attention gives finite weights" in " ".join(done.stdout.split())
    text = (ROOT / "exercises" / "attention.py").read_text(encoding="utf-8")
    (tmp_path / "exercises" / "attention.py").write_text(text, encoding="utf-8")
    done = run("float16", cwd=tmp_path)
    assert done.returncode == 1
    assert "There is nothing to explore in your attention yet." in done.stdout
    assert "`grade run attention` says what to do" in " ".join(done.stdout.split())
    assert "Traceback" not in done.stdout + done.stderr


def test_a_hostile_message_does_not_reach_the_screen(tmp_path: Path) -> None:
    """What an exception says is shown, its escape codes are not."""
    work = tmp_path / "attention.py"
    work.write_text("def attention(*_, **__):\n    raise ValueError('\\x1b[2Jgone')\n", encoding="utf-8")
    done = run("lookup", "--submission", work)
    assert done.returncode == 1
    assert "gone" in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["scalling", "--reference"], ["no experiment 'scalling'", "Did you mean 'scaling'"]),
        (["scaling"], ["no exercises/ folder", "--reference"]),
        (["scaling", "--reference", "--submission", "."], ["different functions"]),
        (["scaling", "--submission", "nowhere"], ["nowhere"]),
        (["scaling", "--reference", "--output", "x.pdf"], [".png or .svg"]),
        (["scaling", "--reference", "--output", "no/x.png"], ["cannot be written"]),
        (["--output", "x.png"], ["Name it"]),
        (["scaling", "--seed", "-1"], ["seed"]),
    ],
)
def test_usage_errors_name_the_remedy(args: list[str], words: list[str], tmp_path: Path) -> None:
    """Exit status 2, and what to do."""
    done = run(*args, cwd=tmp_path)
    assert done.returncode == 2
    assert all(word in done.stderr for word in words), done.stderr


def test_without_matplotlib_the_way_to_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Before any work is done, with the command that installs it."""
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    done = CliRunner().invoke(main, ["explore", "lookup", "--reference", "--output", str(tmp_path / "x.png")])
    assert done.exit_code == 2
    assert "pip install matplotlib" in done.output


def test_output_writes_the_picture_and_prints_it(tmp_path: Path) -> None:
    """The terminal's picture is printed as ever; the file is written whole."""
    pytest.importorskip("matplotlib", reason="matplotlib comes with the extra `plot`")
    done = run("lookup", "--reference", "--output", tmp_path / "map.SVG")
    assert done.returncode == 0
    assert "the picture is in" in done.stderr
    assert "0.830" in done.stdout
    assert ET.parse(tmp_path / "map.SVG").getroot().tag.endswith("svg")


# ── golden pages ───────────────────────────────────────────────────────────────────────────────────

PAGES = [(name, width) for name in NAMES for width in (50, 80)]


def page(name: str, width: int, found: Callable[[str], Finding]) -> str:
    """A page that is the same everywhere: what a call costs is worked out, not measured."""
    finding = cost_of(Arithmetic(lambda n: 1e-8 * n**2 + 1e-4)) if name == "cost" else found(name)
    return picture.render(finding, width=width)


@pytest.mark.parametrize(("name", "width"), PAGES)
def test_pages_are_the_golden_ones(find: Find, name: str, width: int) -> None:
    """What the solutions show is drawn so, and in these words."""
    expected = (GOLDEN / f"{name}-{width}.txt").read_text(encoding="utf-8")
    assert page(name, width, find) == expected
    assert all(cells(each) <= width for each in expected.splitlines())


def test_no_golden_page_is_left_over() -> None:
    """tests/golden/explore holds these pages and no others."""
    assert {path.name for path in GOLDEN.iterdir()} == {f"{name}-{width}.txt" for name, width in PAGES}


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    workers = make_launcher()
    for each, columns in PAGES:
        text = page(each, columns, found_by(load_course(ROOT), workers))
        (GOLDEN / f"{each}-{columns}.txt").write_text(text, encoding="utf-8")
    workers.close()
