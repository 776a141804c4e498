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
from grader.explore import Laboratory, NothingToShow, choose, conduct, load_experiments
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
        return conduct(experiment, Laboratory(course, read_submission(submission), launcher, seed))

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
    assert before.title == "Your attention, given the mask"
    assert cat.names == ("given the mask, at 1", "given the mask, at 4", "masked after, at 1", "masked after, at 4")


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
    assert not finding.notes


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
        ("lookup", "attention-transposed-scores-matmul", "each to 'slept' and 'it'"),
        (
            "masking",
            "attention-mask-after-softmax-not-renormalised",
            "but 0.464 once it scores 4: just as masked after",
        ),
        ("masking", "attention-mask-ignored-unused", "but 0.464 once it scores 4; masked after"),
        ("scaling", "attention-transposed-scores-matmul", "no multiple of q·k"),
        ("scaling", "attention-missing-keepdims-in-the-maximum", "no multiple of q·k"),
        ("scaling", "attention-mask-ignored-always-causal", "none of its attention to 45% of the keys"),
        ("float16", "attention-half-precision-overflow-textbook", "but nan at 32, 48, 60, 90 and 128"),
        ("stability", "softmax-bare-exp", "but nan at -10,000, -1,000, 708, 1,000 and 10,000"),
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
    assert "processor time and was stopped" in finding.notes[0]


def test_what_hides_words_unasked_shows_no_leak(find: Find) -> None:
    """With a causal mask at all times a late mask changes nothing: that is said, and what a right attention does."""
    finding = find("masking", CASES / "attention-mask-ignored-always-causal")
    assert "masked after" not in finding.conclusion
    assert "falls" not in finding.conclusion
    assert "the later words get none of its attention either" in finding.remarks[0]
    assert "'cat' 0.830, but 0.464 once" in finding.remarks[0]


WEIGHTS = """
import numpy as np

def attention(Q, K, V, mask=None):
    scores = Q.astype(float) @ K.T.astype(float) / Q.shape[1] ** 0.5
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    {}
    return weights @ V
"""


def writing(tmp_path: Path, change: str) -> Path:
    """A submission whose attention is right but for a line."""
    work = tmp_path / "attention.py"
    work.write_text(WEIGHTS.format(change), encoding="utf-8")
    return work


def test_weights_all_alike_show_no_leak(find: Find, tmp_path: Path) -> None:
    """Nothing falls where nothing changes, and no word is the one that is looked at."""
    work = writing(tmp_path, "weights = np.full_like(weights, 1 / len(K))")
    finding = find("masking", work)
    assert "'it' gives 'cat' 0.143, whether" in finding.conclusion
    assert "'cat' 0.830, but 0.464 once" in finding.remarks[0]
    assert "0.143 of its attention to every word alike" in find("lookup", work).conclusion
    finding = find("scaling", work)
    assert "gives all keys the same weight, whatever q·k is" in finding.conclusion
    assert "by 0.0000" in finding.remarks[0]


@pytest.mark.filterwarnings("error")
def test_one_key_for_each_query_tells_no_scores(find: Find, tmp_path: Path) -> None:
    """What cannot be read off the weights is not told as nan, and nobody is warned of it."""
    finding = find("scaling", writing(tmp_path, "weights = np.eye(len(K))[scores.argmax(axis=-1)]"))
    assert "no scores can be read off its weights" in finding.conclusion
    assert "collapsed" in finding.conclusion
    assert "nan" not in finding.conclusion
    assert "entropy 1.973 and slope 0.826" in finding.remarks[0]


@pytest.mark.parametrize(
    ("change", "words", "remark"),
    [
        ("weights *= np.nan if (Q.dtype, Q.flat[0]) == (np.float16, 24) else 1", "7 of 8 sizes, but nan at 24.",
         "the check"),
        ("weights = np.nan_to_num(weights * (K.dtype != np.float16), 0) + (K.dtype == np.float16) * 0.5",
         "at no size tried, but 0.500 at every size tried.", "the check"),
        ("weights = np.maximum(weights, Q.flat[0] > 40)", "4 of 8 sizes, but 1.000 to it and 1 to the other at",
         "In float64 it goes wrong too, at 48, 60, 90 and 128"),
        ("weights *= np.nan if (Q.dtype, Q.flat[0]) == (np.float16, 128) else 1", "7 of 8 sizes, but nan at 128.", ""),
    ],
)  # fmt: skip
def test_float16_tells_every_wrong_weight(find: Find, tmp_path: Path, change: str, words: str, remark: str) -> None:
    """At the sizes where it is, whatever it is; what is wrong in float64 as well is not put down to float16."""
    finding = find("float16", writing(tmp_path, change))
    assert words in finding.conclusion
    assert [remark in each for each in finding.remarks] == ([True] if remark else [])


def test_lookup_looks_at_the_output_too(find: Find, tmp_path: Path) -> None:
    """Right weights are not all: an output that is not what they make of the values found no noun."""
    finding = find("lookup", writing(tmp_path, "V = V * np.nan if V.shape[1] == 3 else V"))
    assert "is (nan, nan, nan), where these weights make (0.830, 0.041, 0.041)." in finding.conclusion
    assert "the output of 'it' is (0.830, 0.041, 0.041)" in finding.remarks[0]


def test_stability_looks_at_all_three_weights(find: Find, tmp_path: Path) -> None:
    """What is wrong beside a right last weight is told, with its numbers."""
    work = tmp_path / "softmax.py"
    text = "import numpy as np\ndef softmax(x, axis=-1):\n    return np.array([0.2, 0.2, 0.66524])\n"
    work.write_text(text, encoding="utf-8")
    finding = find("stability", work)
    assert "at no shift tried, but (0.200, 0.200, 0.665) at every shift" in finding.conclusion
    assert "Even the scores (0, 1, 2) get the weights (0.200, 0.200, 0.665)" in finding.remarks[0]


def test_stability_tells_both_ends_of_the_naive_softmax(find: Find) -> None:
    """It fails below as well as above."""
    conclusion = find("stability").conclusion
    assert "nan from c = 708 on" in conclusion
    assert "from c = -1,000 down, where every exponential is 0" in conclusion


def test_a_function_that_is_called_is_lent_as_in_grading(find: Find, tmp_path: Path) -> None:
    """A right attention is shown, whatever the softmax beside it is, and the remark names the softmax."""
    for name in ("attention", "softmax"):
        (tmp_path / f"{name}.py").write_bytes((ROOT / "solutions" / f"{name}.py").read_bytes())
    right = find("float16", tmp_path)
    assert not right.remarks
    (tmp_path / "softmax.py").write_bytes((ROOT / "exercises" / "softmax.py").read_bytes())
    stub = find("float16", tmp_path)
    naive = "import numpy as np\ndef softmax(x, axis=-1):\n    e = np.exp(x)\n    return e / e.sum(-1, keepdims=True)\n"
    (tmp_path / "softmax.py").write_text(naive, encoding="utf-8")
    broken = find("float16", tmp_path)
    assert stub.conclusion == broken.conclusion == right.conclusion
    assert "With your softmax there is nothing to show" in stub.remarks[0]
    assert "With your softmax it comes out otherwise" in broken.remarks[0]
    assert all("`grade run softmax" in each for each in (*stub.remarks, *broken.remarks))
    assert "`grade run softmax` says what differs" in find("stability", tmp_path).remarks[0]
    (tmp_path / "softmax.py").write_text("import os\nos._exit(0)\ndef softmax(x, axis=-1): ...\n", encoding="utf-8")
    assert find("float16", tmp_path).conclusion == right.conclusion


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
    """A laboratory whose attention is right, takes exactly so many seconds and bytes, and waits besides."""

    label = "yours"

    def __init__(
        self,
        seconds: Callable[[int], float],
        limit: int = 10_000,
        held: float = 20.0,
        waits: float = 0.0,
        known_from: int = 0,
    ) -> None:
        self.rng = np.random.default_rng(0)
        self.seconds, self.limit, self.held, self.waits, self.known_from = seconds, limit, held, waits, known_from
        self.said: list[str] = []

    def ask(self, function: str, shape: tuple[int, ...], *args: Any, **named: Any) -> Any:
        scores = args[0] @ args[1].T / args[0].shape[1] ** 0.5
        return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True) @ args[2]

    def measure(self, function: str, *args: Any, **named: Any) -> Measured:
        n = len(args[0])
        why = "" if n <= self.limit else "ran for more than 2 s of processor time and was stopped"
        held = self.held * n**2 if n >= self.known_from else 0.0
        return Measured(self.seconds(n), held, why, passed=self.seconds(n) + self.waits)

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


@pytest.mark.parametrize(
    ("power", "took", "remark"),
    [
        (0.0, "100 milliseconds", "n^0.00 is far from n²: either"),
        (1.0, "2.8 hours", "n^1.00 is far from n²: either"),
        (2.0, "11.6 days", ""),
        (3.0, "11.6 days", "n^3.00 is far from n²: it does more"),
    ],
)
def test_time_is_carried_on_as_it_was_measured(power: float, took: str, remark: str) -> None:
    """By the exponent that was found, which is remarked on where it is far from theory's."""
    finding = cost_of(Arithmetic(lambda n: {0.0: 0.1, 1.0: 0.1, 2.0: 1e-4, 3.0: 1e-9}[power] * n**power))
    assert f"100,000 tokens would take {took} of processor time, and" in finding.conclusion
    assert [remark in each for each in finding.notes] == ([True] if remark else [])
    assert not finding.remarks


def test_how_far_a_fit_is_trusted_is_said() -> None:
    """Points beside their line widen the range, until nothing can be told."""
    finding = cost_of(Arithmetic(lambda n: 1e-8 * n**2 * (1.05 if n in (512, 2048) else 1)))
    trusted = r"of processor time \(between ([\d.]+) seconds and ([\d.]+) minutes\)"
    least, most = re.search(trusted, finding.conclusion).groups()
    assert float(least) < 80
    assert float(most) < 10
    finding = cost_of(Arithmetic(lambda n: 1e-8 * n**2 * (2 if n in (512, 2048) else 1)))
    assert "an unknown amount of processor time (these points lie too unevenly to tell), and" in finding.conclusion


def test_memory_is_drawn_where_it_is_known(find: Find) -> None:
    """A short call finds room in what Python holds already: nothing is known of it, and nothing is drawn as nan."""
    lab = Arithmetic(lambda n: 1e-8 * n**2, known_from=100)
    assert cost_of(lab).pictures[1].at == (128, 256, 512, 1_024, 2_048, 4_096)
    lab.known_from = 4_000
    finding = cost_of(lab)
    assert len(finding.pictures) == 1
    assert "to hold its n² weights 40 GB" in finding.conclusion


def test_weights_that_a_sentence_calls_right_are_right_in_every_row(find: Find) -> None:
    """The naive softmax is exact where it gives numbers: no row differs in a figure from what is right."""
    finding = find("stability", ROOT / "tests" / "submissions" / "softmax-bare-exp")
    rows = [row for row in finding.pictures[1].numbers if not any(map(math.isnan, row))]
    assert len(rows) == 5
    assert {tuple(f"{weight:.3f}" for weight in row) for row in rows} == {("0.090", "0.245", "0.665")}


def test_waiting_is_told_beside_processor_time() -> None:
    """A call that sleeps takes no processor time, and the finding says so."""
    finding = cost_of(Arithmetic(lambda n: 1e-8 * n**2, waits=4.0))
    assert "the processor time of your attention grows as n^2.00" in finding.conclusion
    assert "also waited for 4.0 seconds" in finding.notes[0]


def test_the_cost_of_something_else_is_called_so() -> None:
    """What does not compute attention has no cost of attention."""
    lab = Arithmetic(lambda n: 1e-8 * n**2)
    lab.ask = lambda _, shape, *args: np.zeros(shape)  # type: ignore[method-assign]
    assert "is not attention, so this is the cost of something else. `grade run attention`" in cost_of(lab).remarks[0]


def test_memory_that_is_not_known_is_not_told() -> None:
    """Where the system does not say what memory a process takes, the weights alone are worked out."""
    finding = cost_of(Arithmetic(lambda n: 1e-9 * n**2, held=0.0))
    assert "grows as n^2.00 (theory: n²)" in finding.conclusion
    assert "40 GB" in finding.conclusion
    assert "memory as" not in finding.conclusion
    assert len(finding.pictures) == 1


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
    notes=("Something is to be known.",),
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
    assert all(f"Note: {each}" in plain for each in (*ODD.remarks, *ODD.notes))


def test_marks_under_others_are_told() -> None:
    """Where one line's mark hides another's, the plot says which and where."""
    lines = (
        Line("a", (1.0, 2.0, 3.0)),
        Line("b", (1.0, 2.0, 3.0)),
        Line("c", (1.0, 0.0, 3.0)),
        Line("d", (0.0, 0.0, 0.0)),
    )
    finding = Finding("Title", "Words.", (Curves("Plot", "x", "y", (1.0, 2.0, 3.0), lines),))
    text = picture.render(finding, width=80)
    assert "× lies under ● everywhere" in text
    assert "+ lies under ● at 1, 3" in text
    assert "◇ lies under + at 2" in text
    assert "lies under" not in picture.render(
        Finding("Title", "Words.", (Curves("Plot", "x", "y", (1.0, 2.0, 3.0), (lines[0], lines[3])),)), width=80
    )


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
    assert "your attention gives all the weight, 1.000, to the best key" in " ".join(done.stdout.split())
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


def test_a_pipe_is_as_wide_as_columns_says(tmp_path: Path) -> None:
    """COLUMNS is obeyed where no terminal is, and 80 is what there is without."""
    widths = {
        columns: max(map(len, run("lookup", "--reference", cwd=tmp_path, COLUMNS=columns).stdout.splitlines()))
        for columns in ("50", "")
    }
    assert widths["50"] <= 50 < widths[""] <= 80


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
    assert f"{sys.executable} -m pip install matplotlib" in done.output
    assert "`python -m pip install matplotlib`" in (ROOT / "README.md").read_text(encoding="utf-8")


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
