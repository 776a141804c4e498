"""What once went wrong, each with its kind: marks that were too high, zeros that were not deserved, faults of ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from grader.course import Limits
from grader.report import Ended, ExerciseReport, Huge, Report
from grader.worker.host import Job, Worker
from grader.worker.launch import Launcher
from tests.test_grading import ATTENTION, BROKEN_SOFTMAX, SOFTMAX

Grade = Callable[..., Report]
GRADE = [sys.executable, "-c", "from grader.cli import main; main(prog_name='grade')"]
INLINE = ATTENTION.replace("softmax(s if", "own(s if") + SOFTMAX.replace("softmax", "own")


def only(report: Report) -> ExerciseReport:
    (exercise,) = report.exercises
    return exercise


def command(*args: object, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **env}
    arguments = [*GRADE, *map(str, args)]
    return subprocess.run(arguments, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_an_optimising_python_grades_nothing(root: Path, tmp_path: Path) -> None:
    """`python -O` takes asserts away, and with them every check: that is refused, not full marks."""
    done = command("run", "--submission", "exercises", cwd=root, PYTHONOPTIMIZE="1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "PYTHONOPTIMIZE" in done.stderr


@pytest.mark.parametrize(
    "softmax", ["def (", "raise ValueError", "x = [0] * 10**12", "import os; os._exit(1)", "while True: pass"]
)
@pytest.mark.parametrize(
    "attention",
    [ATTENTION, INLINE, ATTENTION.replace("import softmax", "import softmax as sm").replace(" softmax(", " sm(")],
)
def test_a_softmax_that_does_not_load_costs_attention_nothing(grade_text: Grade, softmax: str, attention: str) -> None:
    """Whether attention calls it, calls it by another name, or only kept the import of the stub."""
    assert (
        only(grade_text({"exercises/softmax.py": softmax, "exercises/attention.py": attention}, "attention")).score
        == 50
    )


@pytest.mark.parametrize(
    "softmax", [BROKEN_SOFTMAX, "def softmax(x, axis=-1): raise NotImplementedError", "def (", "while True: pass"]
)
def test_a_late_import_is_an_import(grade_text: Grade, softmax: str) -> None:
    """Importing softmax inside the function is as good as at the top."""
    late = ATTENTION.replace("from exercises.softmax import softmax\n", "").replace(
        "    s = ", "    from exercises.softmax import softmax\n    s = "
    )
    assert only(grade_text({"softmax.py": softmax, "attention.py": late}, "attention")).score == 50


@pytest.mark.parametrize("use", ["_f = softmax", "from functools import partial\n_f = partial(softmax, axis=-1)"])
def test_a_broken_softmax_under_another_name_costs_nothing(grade_text: Grade, use: str) -> None:
    """An alias of softmax is softmax."""
    text = ATTENTION.replace("softmax(s", "_f(s").replace("def attention", f"{use}\ndef attention")
    assert only(grade_text({"softmax.py": BROKEN_SOFTMAX, "attention.py": text}, "attention")).score == 50


@pytest.mark.parametrize(
    "names",
    [
        ("softmax/softmax.py", "attention/attention.py"),
        ("softmax.py.py", "attention.py.py"),
        ("softmax.v2.py", "attention.v2.py"),
        ("softmax/old.py", "attention/old.py"),
        ("hw/softmax.py", "hw/attention.py"),
    ],
)
def test_every_layout_finds_its_functions(grade_text: Grade, names: tuple[str, str]) -> None:
    """A folder an exercise, hidden suffixes, versions in names."""
    report = grade_text(dict(zip(names, (SOFTMAX, ATTENTION), strict=True)), "softmax", "attention")
    assert report.score == 80, [exercise.tests[0].message for exercise in report.exercises]


@pytest.mark.parametrize(
    "head",
    [
        "try:\n    from exercises.softmax import softmax\nexcept ImportError:\n    softmax = None\n",
        "from exercises.softmax import softmax as _s\nsoftmax = _s\n",
        "import exercises.softmax as S\nsoftmax = S.softmax\n",
    ],
)
def test_a_lone_file_that_assigns_what_it_imports(grade_text: Grade, head: str) -> None:
    """An import that would find the file itself, before it has the name, finds the reference's."""
    text = head + ATTENTION.replace("from exercises.softmax import softmax\n", "")
    assert only(grade_text({"attention.py": text}, "attention")).score == 50


@pytest.mark.parametrize(
    "head",
    [
        "import os, sys\nsys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))\n",
        "import sys\nsys.stdout.reconfigure(encoding='utf-8')\n",
        "import sys\nsys.stdout.buffer.write(b'bytes')\n",
    ],
)
def test_what_honest_files_begin_with(grade_text: Grade, head: str) -> None:
    """__file__ is there, and standard output is a stream like any other."""
    exercise = only(grade_text({"softmax.py": head + SOFTMAX}, "softmax"))
    assert (exercise.score, exercise.notes) == (30, ())


def test_a_packages_own_init_is_run(grade_text: Grade) -> None:
    """exercises/__init__.py may bring the functions together."""
    files = {"exercises/__init__.py": "from .softmax import softmax\n", "exercises/softmax.py": SOFTMAX}
    files["exercises/attention.py"] = ATTENTION.replace("exercises.softmax", "exercises")
    assert only(grade_text(files, "attention")).score == 50


def test_a_foreign_function_is_an_import_error(grade_text: Grade) -> None:
    """`from scipy.special import softmax` is an import that failed, not a missing function."""
    exercise = only(grade_text({"softmax.py": "from scipy.special import softmax\n"}, "softmax"))
    assert [mistake.code for mistake in exercise.mistakes] == ["import-error"]


def test_escapes_in_a_docstring_are_nobodys_business(root: Path, tmp_path: Path) -> None:
    """A warning of the student's text is no error of ours."""
    (tmp_path / "softmax.py").write_text(SOFTMAX.replace("    e =", '    """\\sigma \\frac"""\n    e ='))
    done = command("run", "softmax", "--submission", tmp_path, cwd=root, PYTHONWARNINGS="error")
    assert done.returncode == 0, done.stderr
    assert not done.stderr


@pytest.mark.parametrize("returned", ["np.empty((0, 20_000_000))", "np.zeros((1,) * 40)", "np.zeros((1,) * 64)"])
def test_odd_shapes_are_shapes(launcher: Launcher, returned: str) -> None:
    """No right answer has them, and they break no channel."""
    source = {
        "name": "m",
        "file": "m.py",
        "text": f"import numpy as np\ndef f(): return {returned}",
        "statements": False,
    }
    if returned.count("1,") and np.lib.NumpyVersion(np.__version__) < "2.0.0" and "64" in returned:
        pytest.skip("NumPy 1 has at most 32 dimensions")
    with Worker(launcher, Job(({**source, "problem": ""},), (), "m", "f"), Limits()) as worker:
        answer = worker.call([], {}).answer
    assert isinstance(answer, (Huge, np.ndarray)), answer


@pytest.mark.parametrize("shape", ["[1e999]", "[1.5]", "null", "[[1]]", "{}", "[" + "1, " * 100 + "1]"])
def test_a_forged_shape_is_forbidden(launcher: Launcher, shape: str) -> None:
    """Code that finds its way to the channel and writes nonsense there is forbidden; it is no fault of ours."""
    text = (
        "import sys, os, struct\n"
        "def f(x):\n"
        " frame = sys._getframe()\n"
        " while 'header' not in frame.f_locals or 'token' not in frame.f_locals['header']: frame = frame.f_back\n"
        " token, channel = frame.f_locals['header']['token'], frame.f_locals['self'].channel\n"
        f' answer = \'{{"answer":"huge","shape":{shape},"dtype":"x","left":[],"output":"","token":"%s"}}\'\n'
        " head = (answer % token).encode()\n"
        " channel.sendall(struct.pack('>II', len(head), 0) + head)\n"
        " os._exit(0)\n"
    )
    source = {"name": "m", "file": "m.py", "text": text, "statements": False, "problem": ""}
    with Worker(launcher, Job((source,), (), "m", "f"), Limits()) as worker:
        answer = worker.call([np.ones(2)], {}).answer
    assert isinstance(answer, Ended)
    assert answer.code == "forbidden"


def test_dice_fall_alike_on_every_run(grade_text: Grade) -> None:
    """Unseeded `random` and `numpy.random` give one report."""
    text = "import random, numpy as np\ndef softmax(x, axis=-1):\n print(random.random(), np.random.rand())\n return x"
    first, second = (only(grade_text({"softmax.py": text}, "softmax")).tests[0].output for _ in range(2))
    assert first == second
    assert len(set(first.split())) == 2


def test_a_fault_in_reading_is_a_report_that_says_so(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Permission denied: graded is false, every exercise not-graded, exit status 2."""
    script = (
        "import grader.submission as s\n"
        "def refuse(path): raise s.SubmissionError('cannot be read: Permission denied', where=str(path))\n"
        "s.read_submission = refuse\n"
        "from grader.cli import main; main(['run', '--submission', '.', '--format', 'json'])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    assert (done.returncode, report["graded"]) == (2, False)
    assert {exercise["status"] for exercise in report["exercises"]} == {"not-graded"}
    assert "Permission denied" in done.stderr


@pytest.mark.parametrize("closed", ["<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_close_no_worker(root: Path, tmp_path: Path, closed: str) -> None:
    """As from cron: the report is written all the same."""
    script = f"{' '.join(map(repr, GRADE))} run --submission solutions --output {tmp_path / 'r.json'} {closed}"
    assert subprocess.run(["sh", "-c", script], cwd=root, check=False).returncode == 0
    assert json.loads((tmp_path / "r.json").read_text())["score"] == 100


def test_machine_formats_are_utf_8_wherever_they_go(root: Path) -> None:
    """JSON on standard output is UTF-8, whatever the locale."""
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    arguments = [*GRADE, "run", "--submission", "exercises", "--format", "json"]
    done = subprocess.run(arguments, cwd=root, env=environment, capture_output=True, check=False)
    assert json.loads(done.stdout.decode("utf-8"))["score"] == 0


def test_output_never_replaces_what_is_no_file(root: Path, tmp_path: Path) -> None:
    """A pipe is written to, a link is followed, and a bad place is said before grading."""
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE, text=True) as reader:
        done = command("run", "--submission", "solutions", "--format", "json", "--output", tmp_path / "pipe", cwd=root)
        assert done.returncode == 0, done.stderr
        assert json.loads(reader.communicate()[0])["score"] == 100
    assert not (tmp_path / "pipe").is_file()
    (tmp_path / "link").symlink_to(tmp_path / "real.json")
    (tmp_path / "real.json").write_text("old")
    command("run", "--submission", "solutions", "--format", "json", "--output", tmp_path / "link", cwd=root)
    assert (tmp_path / "link").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text())["score"] == 100


@pytest.mark.parametrize(
    "args", [["--submission", ""], ["--pass-mark", "nan"], ["--output", ""], ["--output", "no/such/r.json"]]
)
def test_arguments_that_mean_nothing_are_refused(root: Path, args: list[str]) -> None:
    """An unset variable, not a number, a folder that is not there: exit status 2 before anything is graded."""
    done = command("run", *args, cwd=root)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_no_zombies_are_left(launcher: Launcher) -> None:
    """Every worker that is over is waited for."""
    source = {"name": "m", "file": "m.py", "text": "def f(): return 1", "statements": False, "problem": ""}
    for _ in range(5):
        with Worker(launcher, Job((source,), (), "m", "f"), Limits()) as worker:
            worker.load()
            pid = worker.process.pid  # type: ignore[union-attr]
        assert not Path(f"/proc/{pid}").exists()


def test_what_is_lent_teaches_nothing(grade_text: Grade) -> None:
    """No solution's text and no path of ours is found from inside a worker."""
    text = "import sys\nfrom exercises.softmax import softmax\ndef attention(Q, K, V, mask=None):\n"
    text += " print([vars(f) for f in sys.meta_path if hasattr(f, 'peers')], sys.orig_argv)\n return softmax(Q)\n"
    for test in only(grade_text({"attention.py": text}, "attention")).tests:
        assert "keepdims" not in test.output
        assert "site-packages" not in test.output


LARGE = """
import numpy as np

def softmax(x, axis=-1):
    return tuple(np.full((512, 512), float(number)) for number in range(4))
"""
MEASURED = """
import sys
from pathlib import Path
from grader.cli import main
try:
    main(["run", "softmax", "--submission", sys.argv[1]])
except SystemExit:
    lines = Path("/proc/self/status").read_text().splitlines()  # what getrusage tells began with the parent's
    print(next(line.split()[1] for line in lines if line.startswith("VmHWM:")))
"""


def test_answers_are_kept_within_bounds(root: Path, tmp_path: Path) -> None:
    """Eight megabytes in answer to every call, and to every probe, do not fill the grader's memory."""
    (tmp_path / "softmax.py").write_text(LARGE, encoding="utf-8")
    command = [sys.executable, "-c", MEASURED, str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root)
    assert int(done.stdout.split()[-1]) < 512 << 10  # KiB
