"""Grading as a whole: a submission goes in, a report comes out, and no fault of the student's ends the grader."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.course import Course, Reveal, load_course
from grader.grading import Grading, grade, reveal
from grader.report import ExerciseReport, Report
from grader.submission import read_submission
from grader.suite_runner import Suites, with_suites
from grader.worker.launch import Launcher

Grade = Callable[..., Report]

SOFTMAX = (
    "import numpy as np\n"
    "def softmax(x, axis=-1):\n"
    "    e = np.exp(x - x.max(axis, keepdims=True))\n"
    "    return e / e.sum(axis, keepdims=True)\n"
)
ATTENTION = (
    "import numpy as np\nfrom exercises.softmax import softmax\n"
    "def attention(Q, K, V, mask=None):\n"
    "    s = (Q.astype(np.float64) / Q.shape[1] ** 0.5) @ K.T\n"
    "    return softmax(s if mask is None else np.where(mask, s, -np.inf)) @ V\n"
)
MASK = "def causal_mask(n):\n    return np.tri(n, dtype=bool)\n"
BROKEN_SOFTMAX = "import numpy as np\ndef softmax(x, axis=-1):\n    return np.exp(x)\n"


def only(report: Report) -> ExerciseReport:
    (exercise,) = report.exercises
    return exercise


def codes(exercise: ExerciseReport) -> list[str]:
    return [mistake.code for mistake in exercise.mistakes]


def test_solutions_get_everything(grade_path: Grade, root: Path) -> None:
    """The course's solutions score 100 of 100, with nothing named and nothing noted."""
    report = grade_path(root / "solutions")
    assert (report.score, report.max_score, report.graded) == (100.0, 100.0, True)
    assert all(
        exercise.status == "passed" and not exercise.mistakes and not exercise.notes for exercise in report.exercises
    )


def test_stubs_get_nothing_and_the_way_on(grade_path: Grade, root: Path) -> None:
    """Three unwritten functions: 0 points, not implemented, and the file to open first."""
    report = grade_path(root / "exercises")
    assert report.score == 0
    assert [exercise.status for exercise in report.exercises] == ["not-implemented"] * 3
    assert report.next_step.startswith(f"Open {root / 'exercises'}, read the docstring of softmax")


def test_a_second_course_runs_through_the_same_engine(grade_path: Grade, tiny: Course, root: Path) -> None:
    """The engine knows no exercise by name: a tiny course of one function is graded like any other."""
    answers = root / "tests" / "courses" / "tiny"
    assert grade_path(answers / "answers", course=tiny).score == 3
    assert only(grade_path(answers / "stubs", course=tiny)).status == "not-implemented"


def test_a_mistake_of_a_second_course_is_named(grade_text: Grade, tiny: Course) -> None:
    """The words of a course's own mistake come into the report."""
    report = grade_text({"unit.py": "def unit(v):\n return v / (v * v).sum()"}, course=tiny)
    assert codes(only(report)) == ["squared-length"]
    assert only(report).mistakes[0].title == "Divides by the squared length"


# ── one fault, one loss ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "softmax",
    [
        BROKEN_SOFTMAX,
        "def softmax(x, axis=-1):\n    raise NotImplementedError\n",
        "def softmax(x, axis=-1)\n    return x\n",
        "import scipy\n",
        "x = 1\n",
        "def softmax(x, axis=-1):\n    while True: pass\n",
        "def softmax(x, axis=-1):\n    import os; os._exit(1)\n",
    ],
    ids=["wrong", "stub", "syntax error", "import error", "no function", "loop", "crash"],
)
def test_a_broken_softmax_costs_attention_nothing(grade_text: Grade, softmax: str) -> None:
    """Attention is graded on its own: whatever is wrong with softmax, a right attention has all its points."""
    report = grade_text({"softmax.py": softmax, "attention.py": ATTENTION}, "attention")
    assert only(report).score == 50, [
        (test.name, test.message) for test in only(report).tests if test.outcome != "passed"
    ]
    assert not only(report).mistakes


@pytest.mark.parametrize("end", ["while True: pass", "import os; os._exit(0)"])
def test_a_softmax_module_that_never_loads_costs_attention_nothing(grade_text: Grade, end: str) -> None:
    """A module that hangs or ends its process is replaced whole where another exercise needs it."""
    report = grade_text({"softmax.py": SOFTMAX + end, "attention.py": ATTENTION}, "attention")
    assert only(report).score == 50


@pytest.mark.parametrize("end", ["while True: pass", "import os; os._exit(0)"])
def test_a_notebook_that_never_ends_costs_only_what_needs_it(grade_text: Grade, course: Course, end: str) -> None:
    """A cell that hangs or ends the process costs nothing by itself: each function is graded by what it needs."""
    quick = replace(course, limits=replace(course.limits, load_cpu_seconds=0.3))
    cells = ["import numpy as np", SOFTMAX + end, end, f"def spoilt():\n    pass\n{end}", MASK, "def attention(): pass"]
    notebook = {"cells": [{"cell_type": "code", "source": cell} for cell in cells]}
    report = grade_text({"work.ipynb": json.dumps(notebook)}, "softmax", "causal_mask", course=quick)
    assert [(each.score, each.mistakes) for each in report.exercises] == [(30, ()), (20, ())]
    places = ["cell 2, line 5", "cell 3", "cell 4, line 3"]
    assert all(place in each.notes[0] for each in report.exercises for place in places)


@pytest.mark.parametrize("times", [19, 300])
def test_a_notebook_of_many_ends_is_soon_given_up(grade_text: Grade, times: int) -> None:
    """A few statements that end the process are left out; a notebook of nothing else is not tried without end."""
    cells = ["import os", *["os._exit(0)"] * times, "import numpy as np", MASK]
    notebook = {"cells": [{"cell_type": "code", "source": cell} for cell in cells]}
    began = time.monotonic()
    report = grade_text({"work.ipynb": json.dumps(notebook)}, "causal_mask")
    assert only(report).score == (20 if times < 20 else 0)
    assert codes(only(report)) == ([] if times < 20 else ["crash"])
    assert time.monotonic() - began < 30


def test_a_notebook_whose_function_needs_what_never_ends_times_out(grade_text: Grade, course: Course) -> None:
    """What a function needs is not left out: then the code is what contract and learner expect."""
    quick = replace(course, limits=replace(course.limits, load_cpu_seconds=0.3))
    cell = "while True: TABLE = 1\ndef causal_mask(n): return TABLE"
    notebook = {"cells": [{"cell_type": "code", "source": cell}]}
    assert codes(only(grade_text({"w.ipynb": json.dumps(notebook)}, "causal_mask", course=quick))) == ["timeout"]


def test_one_file_with_a_broken_softmax(grade_text: Grade) -> None:
    """Also where all functions stand in one file."""
    text = BROKEN_SOFTMAX + ATTENTION.replace("from exercises.softmax import softmax\n", "")
    report = grade_text({"all.py": text}, "softmax", "attention")
    assert report.exercises[0].score < 30
    assert report.exercises[1].score == 50


def test_an_attention_that_makes_up_for_its_odd_softmax_is_right(grade_text: Grade) -> None:
    """The better of the two tries counts: its own softmax may be odd, if attention knows."""
    odd = SOFTMAX.replace("return e / e.sum(axis, keepdims=True)", "return e")
    makes_up = ATTENTION.replace("    return softmax(", "    w = softmax(").replace(
        ") @ V", ")\n    return w / w.sum(1, keepdims=True) @ V"
    )
    assert only(grade_text({"softmax.py": odd, "attention.py": makes_up}, "attention")).score == 50


@pytest.mark.parametrize(("softmax", "said"), [(SOFTMAX, False), (BROKEN_SOFTMAX, True)])
def test_an_example_says_when_functions_were_lent(grade_text: Grade, softmax: str, said: bool) -> None:
    """What a function gives with a right softmax is said to be so, where with the learner's it gives something else."""
    unscaled = ATTENTION.replace(" / Q.shape[1] ** 0.5", "")
    report = grade_text({"softmax.py": softmax, "attention.py": unscaled}, "attention")
    assert codes(only(report))[0] == "missing-scaling"
    evidence = only(report).mistakes[0].evidence
    assert evidence is not None
    assert ("with a right softmax in place of yours" in evidence.lines[0]) == said


def test_a_missing_sibling_is_lent(grade_text: Grade) -> None:
    """attention.py alone, importing softmax in any of the three ways, is graded with the reference's."""
    for statement in (
        "from exercises.softmax import softmax",
        "from softmax import softmax",
        "from .softmax import softmax",
    ):
        text = ATTENTION.replace("from exercises.softmax import softmax", statement)
        assert only(grade_text({"attention.py": text}, "attention")).score == 50


def test_an_exercise_never_finds_its_own_reference(grade_text: Grade) -> None:
    """Importing the exercise from itself finds nothing to hand in."""
    report = grade_text(
        {"work.py": "from exercises.softmax import softmax\nfrom exercises.attention import attention\n"}
    )
    assert report.score == 0
    report = grade_text({"softmax.py": "from exercises.attention import softmax\n", "attention.py": "import softmax\n"})
    assert report.score == 0


def test_a_name_that_is_missing_is_not_lent(grade_text: Grade) -> None:
    """An attention that forgot its import fails: lending replaces names, it adds none."""
    text = ATTENTION.replace("from exercises.softmax import softmax\n", "")
    assert only(grade_text({"softmax.py": SOFTMAX, "attention.py": text}, "attention")).score == 0


# ── bad input: a report, the code, and the others unharmed ─────────────────────────────────────────


@pytest.mark.parametrize(
    ("softmax", "code"),
    [
        (None, "missing-function"),
        ("def soft_max(x): return x", "missing-function"),
        ("softmax = 3", "missing-function"),
        ("def softmax(x:\n return x", "syntax-error"),
        ("# -*- coding: ascii -*-\n# é\ndef softmax(x, axis=-1): return x", "syntax-error"),
        ("def softmax(x, axis=-1): return x\nreturn", "syntax-error"),
        ("import scipy\ndef softmax(x, axis=-1): return x", "import-error"),
        ("def softmax(x, axis=-1):\n import scipy", "import-error"),
        ("def softmax(x, axis=-1): pass", "not-implemented"),
        ("def softmax(x, axis=-1): return None", "not-implemented"),
        (
            "def softmax(x, axis=-1): return todo()\ndef todo(): raise NotImplementedError('later')",
            "not-implemented",
        ),
        ("def softmax(x, axis=-1): raise ValueError('no')", "raises"),
        ("import sys\ndef softmax(x, axis=-1): sys.exit(0)", "raises"),
        ("def softmax(x, axis=-1): return input()", "raises"),
        ("def softmax(x, axis=-1): return softmax(x)", "raises"),
        ("def softmax(x, axis=-1): return x.tolist()", "wrong-type"),
        ("def softmax(x, axis=-1): return x.astype(object)", "wrong-type"),
        ("def softmax(x, axis=-1): return {'softmax': x}", "wrong-type"),
        ("import numpy as np\ndef softmax(x, axis=-1): return np.zeros(2**20)", "wrong-shape"),
        ("def softmax(x, axis=-1):\n while True: pass", "timeout"),
        ("def softmax(x, axis=-1): return x\nwhile True: pass", "timeout"),
        ("import os\ndef softmax(x, axis=-1): os._exit(0)", "crash"),
        ("import os\ndef softmax(x, axis=-1): return x\nos._exit(0)", "crash"),
        ("import os, signal\ndef softmax(x, axis=-1): os.kill(os.getpid(), signal.SIGKILL)", "crash"),
        ("import numpy as np\ndef softmax(x, axis=-1): return np.ones(2**31)", "out-of-memory"),
        ("def softmax(x, axis=-1): return [x] * 10**10", "out-of-memory"),
    ],
)
def test_each_fault_has_its_code_and_harms_no_other_exercise(grade_text: Grade, softmax: str | None, code: str) -> None:
    """The report names what the student did, and the other exercises keep their points."""
    mask = {"causal_mask.py": "import numpy as np\ndef causal_mask(n): return np.tri(n, dtype=bool)\n"}
    report = grade_text(mask | ({"softmax.py": softmax} if softmax else {}), "softmax", "causal_mask")
    first, second = report.exercises
    assert report.graded
    assert (first.score, codes(first)) == (0, [code])
    assert second.score == 20


@pytest.mark.parametrize(
    "end",
    ["raise SystemExit", "input()", "1 / 0", "import scipy", "print('x' * 10**7)", "raise KeyboardInterrupt"],
)
def test_what_fails_after_a_definition_costs_it_nothing(grade_text: Grade, end: str) -> None:
    """What was defined by then is graded, and the notes say what failed."""
    exercise = only(grade_text({"softmax.py": SOFTMAX + end + "\n"}, "softmax"))
    assert exercise.score == 30
    assert bool(exercise.notes) == (not end.startswith("print"))
    assert all("softmax.py, line 5" in note for note in exercise.notes)


def test_a_timed_out_function_is_not_asked_again(grade_text: Grade) -> None:
    """After a time-out the other tests are skipped and say why; what was decided before stays."""
    text = SOFTMAX.replace("    e = ", "    while x.ndim == 3: pass\n    e = ")
    exercise = only(grade_text({"softmax.py": text}, "softmax"))
    skipped = [test for test in exercise.tests if test.outcome == "skipped"]
    assert codes(exercise) == ["timeout"]
    assert exercise.score > 0
    assert skipped
    assert all("2 s of processor time" in test.message and test.points == 0 for test in skipped)


def test_failures_are_sentences_with_the_students_line(grade_text: Grade) -> None:
    """An exception shows the last line in the student's file, its number and code, and the exception last."""
    text = "def softmax(x, axis=-1):\n    return inner(x)\n\ndef inner(x):\n    return x.reshape(1000)\n"
    message = only(grade_text({"softmax.py": text}, "softmax")).tests[0].message.splitlines()
    assert message[0] == "softmax.py, line 5: return x.reshape(1000)"
    assert message[-1].startswith("ValueError: ")


@pytest.mark.parametrize("kept", [(), ("softmax.py",), ("softmax.py", "other.py")])
def test_a_file_that_is_not_there_is_said(grade_text: Grade, kept: tuple[str, ...]) -> None:
    """In a workspace each exercise has a file of its own: a lost one is no question of spelling."""
    files = {f"exercises/{name}": SOFTMAX for name in kept} | {"exercises/causal_mask.py": "import numpy\n"}
    softmax, mask, attention = grade_text(files).exercises
    assert {test.message for test in attention.tests} == {
        "Not run: no function `attention` was found: exercises/attention.py is not there."
    }
    assert {test.message for test in mask.tests} == {"Not run: there is no `causal_mask` in causal_mask.py."}
    assert (softmax.score == 30) == bool(kept)


@pytest.mark.parametrize(
    ("body", "care"),
    [
        ("while True: pass", "  # may never come back: Ctrl-C stops it"),
        ("__import__('os')._exit(0)", "  # may end your Python"),
        ("return bytearray(1 << 40)", ""),
        ("return [0.0] * (1 << 30)", ""),
        ("return x / 0", ""),
    ],
)
def test_an_example_says_what_pasting_it_may_do(grade_text: Grade, body: str, care: str) -> None:
    """A call that ended its process would end, or keep, the learner's own Python."""
    tests = only(grade_text({"softmax.py": f"def softmax(x, axis=-1):\n    {body}\n"}, "softmax")).tests
    failed = [test for test in tests if test.example]
    assert failed
    assert all(test.example[1].endswith(care) and ("# may" in test.example[1]) == bool(care) for test in failed)


def test_examples_are_two_lines_that_run(grade_text: Grade) -> None:
    """Each failed check ends with an import and a call on the student's own function."""
    for test in only(grade_text({"exercises/softmax.py": BROKEN_SOFTMAX}, "softmax")).tests:
        if test.outcome == "failed":
            assert test.example[0] == "import numpy as np; from exercises.softmax import softmax"
            assert test.example[1].count("softmax(") >= 1


def test_prints_come_with_the_failed_check(grade_text: Grade) -> None:
    """What the code printed during a failed check is kept with it, what a passed check printed is not."""
    text = BROKEN_SOFTMAX.replace("    return", "    print('shape', x.shape)\n    return")
    for test in only(grade_text({"softmax.py": text}, "softmax")).tests:
        assert ("shape (" in test.output) == (test.outcome == "failed")


def test_no_message_tells_expected_numbers_or_the_tests_source(grade_text: Grade) -> None:
    """Sentences for a learner: no bare assert, no code of the suite."""
    for test in only(grade_text({"softmax.py": BROKEN_SOFTMAX}, "softmax")).tests:
        if test.outcome == "failed":
            assert test.message.endswith(".")
            assert "assert" not in test.message
            assert "array(" not in test.message


def test_one_seed_gives_one_report(grade_text: Grade) -> None:
    """Byte for byte: there is no clock and no chance in a report."""
    files = {"softmax.py": BROKEN_SOFTMAX, "attention.py": ATTENTION}
    assert json.dumps(grade_text(files).to_json()) == json.dumps(grade_text(files).to_json())


def test_the_receipt_says_what_was_graded_with_what(grade_path: Grade, tmp_path: Path) -> None:
    """The digest of a file is that of its bytes; seed, isolation and versions are there."""
    import hashlib

    (tmp_path / "softmax.py").write_text(SOFTMAX)
    receipt = grade_path(tmp_path / "softmax.py", "softmax", seed=5).receipt
    assert receipt.sha256 == hashlib.sha256(SOFTMAX.encode()).hexdigest()
    assert receipt.seed == 5
    assert "process" in receipt.isolation
    assert all([receipt.grader, receipt.course_version, receipt.python, receipt.numpy])


def test_a_grader_that_cannot_start_workers_never_gives_a_zero(course: Course, root: Path, tmp_path: Path) -> None:
    """No worker: not graded, every test an error of ours, and nothing named."""

    class Broken:
        scratch = str(tmp_path)

        def launch(self, bounds: dict[str, Any]) -> Any:
            from grader.errors import WorkerError

            raise WorkerError("no processes left")

        def close(self) -> None: ...

    report = grade(read_submission(root / "solutions"), course, 0, Broken())
    assert not report.graded
    assert all(exercise.status == "not-graded" and not exercise.mistakes for exercise in report.exercises)
    assert all(test.outcome == "error" for exercise in report.exercises for test in exercise.tests)


def test_a_broken_suite_is_the_graders_fault(tmp_path: Path, root: Path, launcher: Launcher) -> None:
    """A hidden test that fails by itself is an error, not the student's failure."""
    import shutil

    from grader.course import load_course

    copy = Path(shutil.copytree(root / "tests" / "courses" / "tiny", tmp_path / "tiny"))
    (copy / "test_unit.py").write_text(
        (copy / "test_unit.py").read_text().replace("assert got.shape", "1 / 0\n    assert got.shape")
    )
    report = grade(read_submission(copy / "answers"), load_course(copy), 0, launcher)
    assert (report.graded, report.exercises[0].status, report.exercises[0].tests[0].outcome) == (
        False,
        "not-graded",
        "error",
    )


def test_a_course_may_reveal_less() -> None:
    """What a course keeps to itself is not in the report; why a test was not run is said all the same."""
    from grader.report import Map, Mistake, Outcome

    tests = (
        Outcome("a", "A", 0.0, 1.0, "failed", "secret", output="out", example=("x", "y")),
        Outcome("b", "B", 0.0, 1.0, "skipped", "why"),
    )
    mistakes, maps = (Mistake("m", "matched", "M", "E"),), (Map("t", "r", "c", ((0.0,),), ((1.0,),)),)
    exercise = ExerciseReport("e", 0.0, 2.0, "failed", tests, mistakes=mistakes, maps=maps)
    shown = reveal(exercise, Reveal(messages=False, examples=False, output=False, mistakes=False))
    assert [(test.message, test.output, test.example) for test in shown.tests] == [
        ("", "", ()),
        ("why", "", ()),
    ]
    assert shown.mistakes == shown.maps == ()


def test_files_beside_a_submission_are_nobodys(grade_text: Grade, monkeypatch: pytest.MonkeyPatch) -> None:
    """conftest.py, pytest.ini, plug-ins and PYTEST_ variables of a student's have no say."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "--collect-only")
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")
    files = {
        "softmax.py": BROKEN_SOFTMAX,
        "conftest.py": "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_call(item): pass\n",
        "pytest.ini": "[pytest]\naddopts = --collect-only\n",
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--collect-only'\n",
        "course.yml": "title: mine\n",
    }
    assert len([test for test in only(grade_text(files, "softmax")).tests if test.outcome == "failed"]) > 0
    assert os.environ["PYTEST_ADDOPTS"] == "--collect-only"


def test_what_was_lent_is_said(grade_text: Grade) -> None:
    """Graded with a right softmax in place of a broken one, it says so; where nothing was gained, it does not."""
    (note,) = only(grade_text({"softmax.py": BROKEN_SOFTMAX, "attention.py": ATTENTION}, "attention")).notes
    assert "With your softmax" in note
    unscaled = ATTENTION.replace(" / Q.shape[1] ** 0.5", "")
    assert not only(grade_text({"softmax.py": SOFTMAX, "attention.py": unscaled}, "attention")).notes


def test_work_beside_the_workspace_is_pointed_at(grade_text: Grade) -> None:
    """A function written beside exercises/ is not graded, and the note says how it would be."""
    files = {"exercises/softmax.py": "def softmax(x, axis=-1):\n    raise NotImplementedError\n", "mine.py": SOFTMAX}
    (note,) = only(grade_text(files, "softmax")).notes
    assert "grade run --submission mine.py" in note


def test_a_near_name_is_pointed_at(grade_text: Grade) -> None:
    """`Softmax` is not softmax, and the reason says what there is."""
    exercise = only(grade_text({"softmax.py": SOFTMAX.replace("def softmax", "def Softmax")}, "softmax"))
    assert "there is `Softmax`" in exercise.tests[0].message


@pytest.mark.parametrize("name", ["my work (1).py", "2nd.py", "class.py"])
def test_any_file_name_gives_lines_that_can_be_pasted(grade_text: Grade, tmp_path: Path, name: str) -> None:
    """A file whose name is no Python name is run by its path."""
    import subprocess
    import sys

    lines = next(test.example for test in only(grade_text({name: BROKEN_SOFTMAX}, "softmax")).tests if test.example)
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], cwd=tmp_path / "work", capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


GARBAGE = {
    "softmax": [
        "np.zeros(x.shape)",
        "np.full(x.shape, 1 / x.shape[axis])",
        "x",
        "np.random.rand(*x.shape)",
        "x / x.sum()",
    ],
    "causal_mask": [
        "np.ones((n, n), bool)",
        "np.zeros((n, n), bool)",
        "np.eye(n, dtype=bool)",
        "np.random.rand(n, n) < 0.5",
    ],
    "attention": [
        "np.zeros((len(Q), V.shape[1]))",
        "np.tile(V.mean(0), (len(Q), 1))",
        "V[: len(Q)]",
        "V[(Q @ K.T).argmax(1)]",
        "np.random.rand(len(Q), V.shape[1])",
        "(mask if mask is not None else np.ones((len(Q), len(K)))) @ V / len(K)",
    ],
}
SIGNATURES = {"softmax": "x, axis=-1", "causal_mask": "n", "attention": "Q, K, V, mask=None"}


@pytest.mark.parametrize(
    ("name", "answer"), [(name, answer) for name, answers in GARBAGE.items() for answer in answers]
)
def test_garbage_of_the_right_shape_earns_a_tenth_at_most(grade_text: Grade, name: str, answer: str) -> None:
    """Constants, uniform weights, copies, a hard maximum and random numbers are paid for nothing, or nearly so."""
    text = f"import numpy as np\ndef {name}({SIGNATURES[name]}):\n    return {answer}\n"
    exercise = only(grade_text({f"{name}.py": text}, name))
    assert exercise.score <= exercise.max_score / 10


def test_a_receipt_tells_of_its_own_submission_alone(root: Path, launcher: Launcher, tmp_path: Path) -> None:
    """Where nothing was run the receipt says so, whatever was graded before in the same process."""
    (tmp_path / "softmax.py").write_text("def softmax(:", encoding="utf-8")
    course = load_course(root)

    def receipts(suites: Suites) -> list[str]:
        grading = Grading(course, suites, launcher, 0)
        paths = (tmp_path, root / "solutions", tmp_path)
        return [grading.report(read_submission(path)).receipt.isolation for path in paths]

    first, whole, last = with_suites(course, receipts)
    assert first == last == "not needed" != whole


def test_what_is_printed_does_not_make_a_report_large(grade_text: Grade) -> None:
    """Code that prints without end in every call leaves a report that people, and ledgers, can hold."""
    loud = SOFTMAX.replace("    e =", "    print('\\U0001f600' * (1 << 20))\n    x = x * 2\n    e =")
    report = grade_text({"softmax.py": loud})
    assert len(json.dumps(report.to_json())) < 2 << 20
    assert any("more lines were too many to keep" in test.output for test in report.exercises[0].tests)


# ── a process that several exercises share ─────────────────────────────────────────────────────────

ALONE = (
    "import gc, os, random, sys, threading, warnings\n"
    "import numpy as np\n"
    "def attention(Q, K, V, mask=None):\n"
    "    print(os.listdir(), dict(os.environ), threading.active_count(), warnings.filters, gc.isenabled())\n"
    "    print(hasattr(np, 'float'), np.get_printoptions(), random.random(), np.random.rand(), 'left' in vars(sys))\n"
    "    s = (Q.astype(np.float64) / Q.shape[1] ** 0.5) @ K.T\n"
    "    s = s if mask is None else np.where(mask, s, -np.inf)\n"
    "    e = np.exp(s - s.max(-1, keepdims=True))\n"
    "    e / e.sum(-1, keepdims=True) / np.zeros(1)\n"
    "    return e / e.sum(-1, keepdims=True) @ V[:, ::-1]\n"  # wrong: so all that is printed is in the report
)
LEFT = {
    "nothing": "",
    "errors of arithmetic": "np.seterr(all='raise')",
    "a handler of errors": "np.seterrcall(print)",
    "warnings as errors": "import warnings; warnings.simplefilter('error')",
    "a function of NumPy's that is no more": "np.exp = None",
    "a function of Python's": "import builtins; builtins.print = lambda *_: None",
    "an alias that NumPy once had": "np.float = float",
    "how arrays are printed": "np.set_printoptions(precision=2)",
    "an environment": "import os; os.environ['A'] = 'b'",
    "another folder": "import os; os.mkdir('there'); os.chdir('there')",
    "a file": "open('kept', 'w').write('a')",
    "a thread": "import threading, time; threading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
    "an alarm": "import signal; signal.alarm(3)",
    "a handler of signals": "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)",
    "little room to recurse": "import sys; sys.setrecursionlimit(120)",
    "a stream of its own": "import sys, io; sys.stdout = io.StringIO()",
    "a trace": "import sys; sys.settrace(lambda *_: None)",
    "no collector": "import gc; gc.disable()",
    "a path": "import sys; sys.path.append('.')",
    "a finder": "import sys; sys.meta_path.insert(0, type('F', (), {'find_spec': lambda *_: None}))",
    "much memory": "kept = np.ones(12_000_000)",
    "dice that were thrown": "import random; random.random(); np.random.rand()",
}


@pytest.mark.parametrize("left", LEFT)
def test_what_one_exercise_leaves_is_not_met_by_the_next(grade_text: Grade, left: str) -> None:
    """An exercise is graded as it is alone, whatever those before it did to the process they ran in."""
    softmax = SOFTMAX.replace("    e =", f"    {LEFT[left]}\n    e =", 1)
    files = {"attention.py": ALONE, "softmax.py": softmax, "causal_mask.py": MASK}
    alone = only(grade_text(files, "attention"))
    assert "float" in alone.tests[0].output or any(test.output for test in alone.tests)
    assert grade_text(files).exercises[-1] == alone


class Counting:
    """A launcher that counts."""

    def __init__(self, launcher: Launcher) -> None:
        self.launcher = launcher
        self.scratch = launcher.scratch
        self.launched = 0

    def launch(self, bounds: dict[str, Any]) -> Any:
        self.launched += 1
        return self.launcher.launch(bounds)

    def close(self) -> None:
        """The launcher is another's."""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing tells that a process is idle")
@pytest.mark.parametrize(
    ("attention", "processes"),
    [
        pytest.param(ATTENTION, 1, id="right"),
        pytest.param(ATTENTION.replace("** 0.5", ""), 2, id="wrong: one more, that holds the reference's softmax"),
    ],
)
def test_honest_exercises_share_a_process(
    launcher: Launcher, course: Course, tmp_path: Path, attention: str, processes: int
) -> None:
    """One process serves a whole submission, but for a try with what is lent."""
    for name, text in {"softmax": SOFTMAX, "causal_mask": MASK, "attention": attention}.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    counting = Counting(launcher)
    grade(read_submission(tmp_path), course, 0, counting)
    assert counting.launched == processes
