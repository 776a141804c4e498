"""What happens where the kernel, or what is installed, gives a worker less: it is said, and refused where it counts."""

from __future__ import annotations

import json
import os
import pkgutil
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader import isolation
from grader.course import Course, Limits, load_course
from grader.errors import CourseError, GraderError, WorkerError
from grader.isolation import missing, require, shortfall
from grader.report import Ended, Response
from grader.verify import machine
from grader.worker.host import Job, Worker
from grader.worker.launch import Launcher, make_launcher
from grader.worker.scratch import remove

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="confinement is built for Linux")

ROOT = Path(__file__).parents[1]
ALL = ("process", "rlimits", "landlock", "seccomp")

# Answers some system calls as a kernel would that does not have them, then becomes Python with the words that follow:
# a filter is inherited, so all that the grader starts finds the same kernel.
WITHOUT = """
import errno, os, sys
import seccompy

CALLS = {
    "landlock": [(444, None), (445, None), (446, None)],
    "seccomp": [("seccomp", None), ("prctl", {0: 22})],  # PR_SET_SECCOMP of linux/prctl.h
    "nothing": [("acct", None), ("swapoff", None), ("reboot", None), ("quotactl", None), ("mount", {0: 22})],
}
rules = seccompy.Filter()
for name in sys.argv[1].split("+"):
    for call, args in CALLS[name]:
        rules.errno(call, errno.ENOSYS, args=args)
rules.load()
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""

# What each world takes away. The last is one in which neither package is installed.
KERNELS = {"landlock": {"landlock"}, "seccomp": {"seccomp"}, "landlock+seccomp": {"landlock", "seccomp"}}
WORLDS = {**KERNELS, "packages": {"landlock", "seccomp"}}
SERVICE = "from grader.service import main; main()"
GOOD = "import numpy as np\ndef unit(v):\n    return v / np.sqrt((v * v).sum())\n"


def under(calls: str) -> list[str]:
    """The words of a command that run Python in a world without these calls."""
    return [sys.executable, "-c", WITHOUT, calls]


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every installed package but the two that confine."""
    folder = tmp_path_factory.mktemp("bare")
    for place in {entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))}:
        for entry in Path(place).iterdir():
            if not entry.name.startswith(("landlockpy", "seccompy")) and not (folder / entry.name).exists():
                (folder / entry.name).symlink_to(entry)
    return folder


@pytest.fixture
def run(bare: Path, launcher: Launcher) -> Any:
    """Run Python in a world; "" is this one, which must have everything itself."""
    if missing(isolation.observed(launcher).isolation):
        pytest.skip("this machine has no Landlock, or no seccomp, to be taken away")

    def started(world: str, *words: str | Path, ask: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        python = under(world) if world in KERNELS else [sys.executable, *(["-S"] if world == "packages" else [])]
        path = [str(ROOT), *([str(bare)] if world == "packages" else [])]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GRADE_")}
        return subprocess.run(
            [*python, *map(str, words)],
            cwd=ROOT,
            env={**clean, "PYTHONPATH": os.pathsep.join(path), **env},
            capture_output=True,
            text=True,
            input=ask,
            check=False,
            timeout=60,
        )

    return started


@pytest.fixture
def required(tmp_path: Path) -> Path:
    """The tiny course, which requires isolation."""
    copy = Path(shutil.copytree(ROOT / "tests" / "courses" / "tiny", tmp_path / "required"))
    with (copy / "course.yml").open("a", encoding="utf-8") as file:
        file.write("isolation: required\n")
    return copy


def left(world: str) -> str:
    """What a receipt says in that world."""
    return "+".join(name for name in ALL if name not in WORLDS.get(world, set()))


def report(run: Any, world: str, *words: str | Path) -> Any:
    return json.loads(run(world, "-m", "grader", "run", *words, "--format", "json").stdout)


# ── the course's word ──────────────────────────────────────────────────────────────────────────────


def test_a_course_may_require_isolation(required: Path, tiny: Course) -> None:
    """`isolation: required` is read; the default is any."""
    assert (load_course(required).isolation, tiny.isolation) == ("required", "any")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("isolation: requird", "isolation: expected any or required, got 'requird'. Did you mean 'required'?"),
        ("isolation: true", "isolation: expected any or required, got True."),
        ("isolation:", "isolation: expected any or required, got nothing."),
        ("isolation: [required]", "isolation: expected any or required, got ['required']."),
        ("isolaton: required", "isolaton: unknown. Did you mean 'isolation'?"),
    ],
)
def test_a_misspelt_requirement_is_told(required: Path, line: str, expected: str) -> None:
    """A typo is a fault of the course, never the weaker of two words."""
    text = (required / "course.yml").read_text(encoding="utf-8")
    (required / "course.yml").write_text(text.replace("isolation: required", line), encoding="utf-8")
    with pytest.raises(CourseError) as caught:
        load_course(required)
    assert [problem for problem in caught.value.problems if problem.startswith(expected)], caught.value.problems


def test_what_is_missing_is_named() -> None:
    """By the receipt's names, in their order; what says nothing has nothing, and what was not run lacks nothing."""
    assert missing("+".join(ALL)) == ()
    assert missing("process+seccomp") == ("rlimits", "landlock")
    assert missing("") == ALL
    assert missing("landlocks") == ALL


def test_a_student_is_told_in_one_line_where_it_is_required(required: Path, tiny: Course) -> None:
    """Only where the course requires it, where something ran, and where something is missing."""
    course = load_course(required)
    line = shortfall(course, "process+rlimits")
    assert "without landlock and seccomp" in line
    assert "\n" not in line
    assert shortfall(course, "+".join(ALL)) == shortfall(course, isolation.NOT_NEEDED) == ""
    assert shortfall(tiny, "process") == ""


# ── less isolation ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "case", ["right-plain-vectorised", "attention-unscaled-and-mask-added", "softmax-exits-in-call"]
)
def test_the_same_marks_and_a_receipt_that_says_what_is_left(run: Any, case: str) -> None:
    """In every world each report is the same to the letter, but for the receipt's isolation."""
    path = ROOT / "tests" / "submissions" / case
    whole = report(run, "", "--submission", path)
    assert whole["receipt"]["isolation"] == "+".join(ALL)
    for world in WORLDS:
        weaker = report(run, world, "--submission", path)
        assert weaker["receipt"]["isolation"] == left(world)
        weaker["receipt"]["isolation"] = whole["receipt"]["isolation"]
        assert weaker == whole


@pytest.mark.parametrize("world", WORLDS)
def test_a_students_own_run_goes_on(run: Any, required: Path, tiny: Course, world: str) -> None:
    """It has its marks and its exit status, and one line on stderr names what is missing, where that is required."""
    words = ("-m", "grader", "run", "--submission", required / "answers", "--course")
    done = run(world, *words, required)
    assert done.returncode == 0, done.stderr
    assert "3 of 3" in done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("grade: your code ran without ")
    assert {name for name in ALL if name in line} == WORLDS[world]
    assert run(world, *words, tiny.root).stderr == ""


def test_a_run_that_lacks_nothing_says_nothing(run: Any, required: Path) -> None:
    """Where isolation is required and there, stderr stays empty."""
    done = run("", "-m", "grader", "run", "--submission", required / "answers", "--course", required)
    assert (done.returncode, done.stderr) == (0, "")


# ── where marks count ──────────────────────────────────────────────────────────────────────────────


def hand_in(run: Any, world: str, course: Path, code: str, seed: Path | None) -> Any:
    """The answer of the program that grades for nbgrader; with a seed file, marks count."""
    notebook: Mapping[str, Any] = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [{"cell_type": "code", "id": "a", "metadata": {}, "source": code, "outputs": []}],
    }
    ask = {"ask": "grade", "file": "work.ipynb", "notebook": notebook, "exercises": [], "hints": False}
    terms = {"course": str(course), **({"seed_file": str(seed), "counts": True} if seed else {})}
    done = run(world, "-c", SERVICE, ask=f"{json.dumps(terms)}\n{json.dumps(ask)}\n")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("world", WORLDS)
def test_marks_that_count_wait_for_isolation(run: Any, required: Path, tmp_path: Path, world: str) -> None:
    """What is missing, the remedy and the place are named; nothing is graded, and no seed is drawn."""
    seed = tmp_path / "seed"
    answer = hand_in(run, world, required, GOOD, seed)
    assert set(answer) == {"error"}
    first, *remedy = answer["error"].splitlines()
    assert first.startswith(f"{required / 'course.yml'}: isolation is required")
    assert {name for name in ALL if f" {name}" in first} == WORLDS[world]
    assert ("Linux 5.13" in str(remedy), "package seccompy" in str(remedy)) == (
        "landlock" in WORLDS[world],
        "seccomp" in WORLDS[world],
    )
    assert not seed.exists()


def test_marks_are_given_where_all_isolation_is(run: Any, required: Path, tmp_path: Path) -> None:
    """The requirement is met here; and it binds nobody's own practice, which has no secret seed."""
    assert hand_in(run, "", required, GOOD, tmp_path / "seed")["exercises"]["unit"]["score"] == 3
    assert hand_in(run, "landlock+seccomp", required, GOOD, None)["exercises"]["unit"]["score"] == 3


def test_nothing_of_a_students_runs_before_the_refusal(run: Any, required: Path, tiny: Course, tmp_path: Path) -> None:
    """Code that leaves a file behind leaves one where any isolation will do, and none where it is required."""
    trace = tmp_path / "trace"
    code = f"open({str(trace)!r}, 'w').close()\n{GOOD}"
    assert "error" in hand_in(run, "landlock", required, code, tmp_path / "seed")
    assert not trace.exists()
    assert hand_in(run, "landlock", tiny.root, code, tmp_path / "seed")["exercises"]["unit"]["score"] == 3
    assert trace.exists()


def test_a_refusal_is_an_error_of_the_graders(required: Path, launcher: Launcher, monkeypatch: Any) -> None:
    """`require` raises what the command turns into exit status 2; where any will do, no worker is started."""
    monkeypatch.setattr(isolation, "observed", lambda _: isolation.Hello("process", "", ""))
    with pytest.raises(GraderError, match="no rlimits, landlock and seccomp; nothing was graded"):
        require(load_course(required), launcher)
    monkeypatch.delattr(isolation, "observed")
    require(load_course(ROOT), launcher)


# ── grade verify --machine ─────────────────────────────────────────────────────────────────────────

LANDLOCK_KEEPS = ("read a file outside its scratch folder", "write a file there")
SECCOMP_KEEPS = ("open a socket", "start another process")
EITHER_KEEPS = ("send its parent a signal, as would kill it",)  # Landlock does since Linux 6.12


def lines(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Each title of the checks, and the word in front of it."""
    found = [line.split(maxsplit=1) for line in done.stdout.splitlines() if not line.startswith(" ")]
    return {title: word for word, title in found}


@pytest.mark.parametrize("world", ["", *WORLDS])
def test_the_machine_is_tried_not_only_asked(run: Any, required: Path, tiny: Course, world: str) -> None:
    """A probe gets done what nothing keeps it from. What is missing is weak; FAILED where the course requires it."""
    gone = WORLDS.get(world, set())
    for course, word, status in ((tiny.root, "weak", 0), (required, "FAILED", 2)):
        done = run(world, "-m", "grader", "verify", "--machine", "--course", course)
        assert done.returncode == (status if gone else 0), done.stdout + done.stderr
        seen = lines(done)
        for name in ALL:
            (title,) = [title for title in seen if title.startswith((f"has {name}:", f"LACKS {name}:"))]
            assert (title.split()[0], seen[title]) == (("LACKS", word) if name in gone else ("has", "ok"))
        for keeper, deeds in (("landlock", LANDLOCK_KEEPS), ("seccomp", SECCOMP_KEEPS)):
            for deed in deeds:
                expected = (f"open: {deed}", word) if keeper in gone else (f"held: {deed}", "ok")
                assert expected in seen.items(), seen
        if not gone or "seccomp" not in gone:
            assert all(seen[f"held: {deed}"] == "ok" for deed in EITHER_KEEPS)
        if gone >= {"landlock", "seccomp"}:
            assert all(seen[f"open: {deed}"] == word for deed in EITHER_KEEPS)


def test_a_worker_that_claims_too_much_is_found_out(launcher: Launcher, monkeypatch: Any) -> None:
    """Where a deed is done although its keeper is said to have taken hold, that is a fault, required or not."""
    monkeypatch.setattr(isolation, "tried", lambda _: [(deed, "open") for deed in isolation.DEEDS])
    claimed = [check for check in machine(launcher) if check.title.startswith("open: ")]
    assert [check.word for check in claimed] == ["FAILED"] * len(isolation.DEEDS)
    assert "says that it has landlock" in claimed[0].problems[0]


@pytest.mark.parametrize("broken", ["import os; os._exit(0)", "raise ValueError('x')", "return None", "return 7"])
def test_a_probe_that_proves_nothing_is_not_held(launcher: Launcher, monkeypatch: Any, broken: str) -> None:
    """Only what was refused counts as held: a probe that crashes, or answers nonsense, is unclear, which is a fault."""
    probe = isolation.PROBE.replace("return DEEDS[number]()", broken)
    assert probe != isolation.PROBE
    monkeypatch.setattr(isolation, "PROBE", probe)
    verdicts = [verdict for _, verdict in isolation.tried(launcher)]
    assert "held" not in verdicts
    assert all(verdict.startswith("unclear (") for verdict in verdicts[:2])
    assert all(check.word == "FAILED" for check in machine(launcher) if check.title.startswith(("unclear", "open")))


def test_a_machine_where_no_worker_starts_is_told(launcher: Launcher, monkeypatch: Any) -> None:
    """One line that failed, and no claim."""

    def none(_: Launcher) -> Any:
        raise WorkerError("no worker could be started")

    monkeypatch.setattr(isolation, "observed", none)
    (check,) = machine(launcher)
    assert check.word == "FAILED"


# ── what is named of what was tried ────────────────────────────────────────────────────────────────

LIMITS = Limits(call_cpu_seconds=20, call_wall_seconds=40, threads=20)


@pytest.fixture
def ask(launcher: Launcher) -> Any:
    """What a function of these lines answers in a worker, and the words for what it was seen to try."""

    def asked(lines: str, launcher: Launcher = launcher) -> Response:
        text = f"def f(n):\n{textwrap.indent(lines.strip(), '    ')}\n    return n\n"
        source = {"name": "work", "file": "work.py", "text": text, "statements": False, "problem": ""}
        with Worker(launcher, Job((source,), (), "work", "f"), LIMITS) as worker:
            return worker.call([1], {})

    return asked


# What a student's own line asks for, by every common door; PATH is a file of somebody else's.
ASKED_FOR = {
    "the file PATH": (
        "open(PATH)",
        "open(PATH, 'w')",
        "import os; os.open(PATH, os.O_RDONLY)",
        "import pathlib; pathlib.Path(PATH).read_text()",
        "import pathlib; pathlib.Path(PATH).unlink()",
        "import numpy as np; np.loadtxt(PATH)",
        "import shutil; shutil.copyfile(PATH, 'mine')",
        "import os; open('mine', 'w').close(); os.rename('mine', PATH)",
        "import os; os.chdir(os.path.dirname(PATH)); open(os.path.basename(PATH))",
    ),
    "the file PATH.new": ("open(PATH + '.new', 'w')", "import os; os.mkdir(PATH + '.new')"),
    "the network": (
        "import socket; socket.socket()",
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import socket; socket.socket(socket.AF_UNIX)",
        "import socket; socket.socketpair()[0].sendto(b'x', PATH)",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9')",
        "import asyncio; asyncio.run(asyncio.open_connection('127.0.0.1', 9))",
    ),
    "another process": (
        "import os; os.fork()",
        "import os; os.system('true')",
        "import os; os.popen('true')",
        "import os; os.kill(os.getppid(), 0)",
        "import subprocess; subprocess.run(['true'])",
        "import asyncio; asyncio.run(asyncio.create_subprocess_exec('true'))",
        "import multiprocessing; multiprocessing.get_context('fork').Process(target=print).start()",
    ),
}


@pytest.mark.parametrize(("words", "lines"), [(words, each) for words, lines in ASKED_FOR.items() for each in lines])
def test_what_a_line_asks_for_is_named(ask: Any, tmp_path: Path, words: str, lines: str) -> None:
    """The network, another process and files of others' are named, whichever of Python's doors is taken."""
    path = tmp_path / "others.txt"
    path.write_text("1\n")
    response = ask(f"PATH = {str(path)!r}\ntry:\n    {lines}\nexcept OSError:\n    pass")
    assert response.tried == (words.replace("PATH", str(path)),)
    assert path.read_text() == "1\n"


def test_a_scratch_folder_behind_a_link_is_ones_own(ask: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the temporary folder is a link, as it is on some systems, files in it are nobody else's."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "link"))
    launcher = make_launcher()
    try:
        response = ask("import os\nopen('mine', 'w').close()\nopen(os.path.abspath('mine')).close()", launcher)
    finally:
        launcher.close()
    assert isinstance(response.answer, np.ndarray), response.answer
    assert response.tried == ()


LIBRARY_LEFT_OUT = {"test", "tests", "idlelib", "lib2to3", "turtledemo", "antigravity", "_pyrepl", "__main__"}
IMPORTS = """
import importlib, sys
for name in NAMES.split():
    try:
        importlib.import_module(name)
    except BaseException as error:
        sys.stdout.write(f"{name}: {type(error).__name__}\\n")
"""


def library_names() -> list[str]:
    """Every module of Python's library that is there and starts nothing of itself: the outermost, and those inside."""
    folder = Path(os.__file__).parent
    outer = sorted(name for name in sys.stdlib_module_names if name not in LIBRARY_LEFT_OUT)
    inner = [
        f"{name}.{found.name}"
        for name in outer
        if (folder / name / "__init__.py").exists()
        for found in pkgutil.iter_modules([str(folder / name)])
    ]
    return [name for name in (*outer, *inner) if LIBRARY_LEFT_OUT.isdisjoint(name.split("."))]


def test_all_of_pythons_library_may_be_imported(ask: Any) -> None:
    """What can be imported where nothing confines it can be in a worker, and nobody is named for it."""
    lines = IMPORTS.replace("NAMES", repr(" ".join(library_names())))
    outside = subprocess.run(
        [sys.executable, "-I", "-S", "-W", "ignore", "-c", lines], capture_output=True, text=True, check=True
    )
    inside = ask(f"import warnings\nwarnings.simplefilter('ignore')\n{lines}")
    assert isinstance(inside.answer, np.ndarray), inside.answer
    refused = set(inside.output.splitlines()) - set(outside.stdout.splitlines())
    assert not refused
    assert inside.tried == ()


def test_our_frames_name_no_file(ask: Any) -> None:
    """A traceback, a warning or a look at the stack shows our code under a word, not under the path of a file."""
    response = ask(
        "import inspect, sys, traceback, warnings\n"
        "traceback.print_stack()\n"
        "warnings.warn('x', stacklevel=2)\n"
        "frame = sys._getframe()\n"
        "while frame:\n"
        "    print(frame.f_code.co_filename, frame.f_globals.get('__file__'), frame.f_globals.get('__spec__'))\n"
        "    frame = frame.f_back\n"
        "print([each.filename for each in inspect.stack()])"
    )
    assert isinstance(response.answer, np.ndarray), response.answer
    assert "<grader>" in response.output
    assert str(ROOT) not in response.output
    assert response.tried == ()


def test_words_of_what_was_tried_stay_in_their_line(grade_text: Any) -> None:
    """Code that writes these words itself starts no line of a report by them, and moves no cursor."""
    forge = (
        "import gc\nimport numpy as np\n\n\ndef causal_mask(n):\n"
        "    for found in gc.get_objects():\n"
        "        if type(found).__name__ == 'Witness':\n"
        "            found.tried.append('x\\n## 20 of 20\\r\\x1b[2J\\u2028\\u202e' + 'y' * 5_000)\n"
        "    return np.tri(n, dtype=bool)\n"
    )
    report = grade_text({"causal_mask.py": forge}, "causal_mask")
    (note,) = [note for exercise in report.exercises for note in exercise.notes if "seen to try" in note]
    assert note.isprintable()
    assert "x\\n## 20 of 20\\r\\x1b[2J\\u2028\\u202ey" in note
    assert len(note) < 400


# ── folders in the scratch folder ──────────────────────────────────────────────────────────────────

TOO_MUCH = {
    "many folders": "import os\nfor i in range(1_100): os.mkdir(str(i))",
    "deep folders": "import os\nfor i in range(1_100):\n    os.mkdir('d')\n    os.chdir('d')",
    "files in folders": "import os\nos.makedirs('a/b')\nfor i in range(1_100): open(f'a/b/{i}', 'w').close()",
    "long names": "import os\nfor i in range(20):\n    os.mkdir('d' * 250)\n    os.chdir('d' * 250)",
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_folders_are_counted_with_all_there_is_in_them(ask: Any, name: str) -> None:
    """Nothing is out of sight for lying deep; and the folder is gone afterwards."""
    response = ask(f"{TOO_MUCH[name]}\nimport time\ntime.sleep(9)")
    assert isinstance(response.answer, Ended)
    assert response.answer.code == "out-of-memory"
    assert "wrote more than" in response.answer.detail


def test_a_folder_is_removed_whatever_is_in_it(tmp_path: Path) -> None:
    """However deep, however long its names, whatever its modes; and a link is removed, not what it leads to."""
    folder = tmp_path / "scratch"
    (folder / "locked" / "inner").mkdir(parents=True)
    (folder / "locked" / "inner" / "file").write_text("x")
    (folder / "locked" / "inner").chmod(0)
    (folder / "locked").chmod(0o300)
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("x")
    (folder / "link").symlink_to(tmp_path / "kept")
    for name, depth in (("d", 2_500), ("e" * 250, 40)):
        place = os.open(folder, os.O_RDONLY)
        for _ in range(depth):
            os.mkdir(name, dir_fd=place)
            deeper = os.open(name, os.O_RDONLY, dir_fd=place)
            os.close(place)
            place = deeper
        os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=place))
        os.close(place)
    remove(str(folder))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "kept"]
