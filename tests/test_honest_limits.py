"""Limits hold up what runs away, and never honest code: a tenth of each is enough at the sizes that tests use.

Written for whole arrays, a function also computes 2,048 tokens under the limits as they are.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.attempt import Bench
from grader.course import Course, Limits
from grader.grading import Grading
from grader.job import Task
from grader.report import Huge, Raised, Report
from grader.submission import locate, read_submission
from grader.suite_runner import Suites, with_suites
from grader.worker.launch import Launcher

RIGHT = sorted(path.parent for path in (Path(__file__).parent / "submissions").glob("right-*/expected.json"))
TOKENS = 2048
WIDTH = 64  # of a query, a key and a value
ROWS = 128  # of softmax alone: as many as an answer may have; attention has all of them

# What is not written for whole arrays, or for numbers that no processor multiplies as such, each with its reason.
ONE_BY_ONE = {
    "right-beginner-loops": "a Python loop for every number",
    "right-closures": "a Python loop for every score",
    "right-compensated-sums": "math.fsum for every sum",
    "right-decimals": "decimals, number by number",
    "right-functional": "map and reduce, number by number",
    "right-generators": "generators, number by number",
    "right-longdouble": "no BLAS multiplies long doubles: 1.9 s of the 2 s there are",
    "right-mask-recursion": "one recursion a row, deeper than Python goes",
    "right-object-arrays-inside": "Python objects in arrays",
    "right-pairwise-ratios": "every entry over every entry: a cube of numbers",
    "right-vectorize-signature": "np.vectorize, which is a Python loop",
}

Grade = Callable[..., Report]


def exercises(case: Path) -> list[str]:
    return list(json.loads((case / "expected.json").read_text(encoding="utf-8"))["exercises"])


def part(limits: Limits, divisor: float) -> Limits:
    return Limits(**{limit.name: getattr(limits, limit.name) / divisor for limit in fields(limits)})


def test_what_the_course_gives_is_what_is_divided_here(course: Course) -> None:
    """The course's own limits, each of them, by ten."""
    tenth = part(course.limits, 10)
    assert (tenth.call_cpu_seconds, tenth.load_cpu_seconds, tenth.memory_mebibytes) == (0.2, 0.5, 102.4)
    assert all(getattr(tenth, limit.name) * 9 < getattr(Limits(), limit.name) for limit in fields(Limits))


@pytest.fixture(scope="session")
def reports(course: Course, launcher: Launcher) -> dict[str, Report]:
    """Every right way graded with a tenth of every limit, the suites collected once for all."""
    narrow = replace(course, limits=part(course.limits, 10))

    def graded(suites: Suites) -> dict[str, Report]:
        grading = Grading(narrow, suites, launcher, 0)
        return {
            case.name: grading.report(read_submission(case), [course.exercise(name) for name in exercises(case)])
            for case in RIGHT
        }

    return with_suites(narrow, graded)


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case.name)
def test_a_tenth_of_every_limit_is_enough(case: Path, reports: dict[str, Report]) -> None:
    """Every right way has all its points with a tenth of the time, the memory, the files and the threads."""
    report = reports[case.name]
    lost = [(test.name, test.message) for each in report.exercises for test in each.tests if test.outcome != "passed"]
    assert not lost
    assert report.score == report.max_score
    assert not [mistake.code for each in report.exercises for mistake in each.mistakes]


@pytest.mark.parametrize("limit", ["call_cpu_seconds", "load_cpu_seconds"])
def test_too_little_time_is_seen_by_these_tests(limit: str, course: Course, grade_path: Grade) -> None:
    """Two or five millionths of a second cost a slow way its points, so a tenth says something."""
    case = (
        Path(__file__).parent / "submissions" / "right-decimals"
    )  # a system counts no less than its ticks for certain
    small = replace(course.limits, **{limit: getattr(course.limits, limit) / 1e6})
    report = grade_path(case, course=replace(course, limits=small))
    assert report.graded
    assert report.score < report.max_score


def test_only_a_few_ways_are_excused_from_long_inputs() -> None:
    """Each exception is a case, and they are few."""
    assert set(ONE_BY_ONE) <= {case.name for case in RIGHT}
    assert len(ONE_BY_ONE) < len(RIGHT) / 6


@pytest.fixture(scope="session")
def long() -> dict[str, tuple[list[Any], dict[str, Any]]]:
    """What each exercise is given: arguments by place and by name."""
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(3, TOKENS, WIDTH))
    scores = 10 * rng.normal(size=(ROWS, TOKENS))
    mask = np.tri(TOKENS, dtype=bool)
    return {"softmax": ([scores], {}), "causal_mask": ([TOKENS], {}), "attention": ([q, k, v], {"mask": mask})}


def softmax(x: Any) -> Any:
    weights = np.exp(x - x.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


@pytest.fixture(scope="session")
def right(long: dict[str, Any]) -> dict[str, Any]:
    """What softmax and attention give there."""
    (q, k, v), named = long["attention"]
    scores = np.where(named["mask"], q @ k.T / np.sqrt(WIDTH), -np.inf)
    return {"softmax": softmax(long["softmax"][0][0]), "attention": softmax(scores) @ v}


@pytest.fixture
def ask(course: Course, launcher: Launcher, long: dict[str, Any]) -> Callable[..., Any]:
    """What a case's function answers to the long arguments."""

    def asked(case: Path, name: str, limits: Limits) -> Any:
        submission, exercise = read_submission(case), course.exercise(name)
        task = Task(submission, exercise, locate(submission, exercise.module, exercise.function))
        with Bench(replace(course, limits=limits), None, launcher, 0).worker(task) as worker:  # no suite is run
            return worker.call(*long[name]).answer

    return asked


@pytest.mark.parametrize("case", [case for case in RIGHT if case.name not in ONE_BY_ONE], ids=lambda case: case.name)
def test_two_thousand_tokens_are_within_the_limits(
    case: Path, course: Course, ask: Callable[..., Any], right: dict[str, Any]
) -> None:
    """Softmax and attention come back right; the square mask is made, and is larger than any answer that is read."""
    for name in exercises(case):
        answer = ask(case, name, course.limits)
        if name in right:
            assert isinstance(answer, np.ndarray), answer
            np.testing.assert_allclose(answer, right[name], rtol=1e-4, atol=1e-6)
        else:
            assert answer == Huge((TOKENS, TOKENS), "bool")


def test_too_little_memory_is_seen_by_these_tests(course: Course, ask: Callable[..., Any]) -> None:
    """2,048 by 2,048 scores take 32 MiB, of which a sixteenth of the memory has no room for two."""
    case = Path(__file__).parent / "submissions" / "right-plain-vectorised"
    answer = ask(case, "attention", replace(course.limits, memory_mebibytes=course.limits.memory_mebibytes / 16))
    assert isinstance(answer, Raised), answer
    assert "MemoryError" in answer.kinds


# ── what Python's library does of itself ───────────────────────────────────────────────────────────

# Lines that learners leave in their code, or that a library they know makes; none asks for what is not its own.
HONEST_LINES = {
    "a warning of its caller": "import warnings; warnings.warn('slow', stacklevel=2)",
    "a log with the stack": "import logging; logging.warning('here', stack_info=True)",
    "the stack": "import traceback; traceback.print_stack(); traceback.format_stack()",
    "the frames": "import inspect; inspect.stack(); inspect.getsource(causal_mask); inspect.getmodule(causal_mask)",
    "an exception shown": """
import sys, traceback
try:
    1 / 0
except ZeroDivisionError:
    traceback.print_exc()
    sys.__excepthook__(*sys.exc_info())
""",
    "an exception in a thread": """
import threading
thread = threading.Thread(target=lambda: 1 / 0)
thread.start()
thread.join()
""",
    "the platform": """
import platform, uuid
platform.platform(), platform.processor(), platform.uname(), platform.architecture(), platform.libc_ver(), uuid.uuid1()
""",
    "a library looked for": "import ctypes.util; ctypes.util.find_library('m'); ctypes.util.find_library('none')",
    "modules looked for": "import pkgutil; list(pkgutil.iter_modules())",
    "a module that is not there": """
import os, sys
sys.path[:0] = ["/content", os.path.abspath("..")]
try:
    import not_there
except ImportError:
    pass
""",
    "doctest": "import doctest, sys; doctest.testmod(sys.modules[causal_mask.__module__])",
    "unittest": "import unittest; unittest.TestCase().assertTrue(1)",
    "a debugger": "import pdb; pdb.Pdb()",
    "tests of arrays": "import numpy.testing; numpy.testing.assert_allclose([1], [1])",
    "a profile": "import cProfile, pstats; pstats.Stats(cProfile.Profile().run('sum([1])')).print_stats()",
    "a look around": """
import glob, os
glob.glob("../*"), os.path.exists("/kaggle/input"), list(os.walk(".."))
try:
    os.listdir("..")
except PermissionError:
    pass
""",
    "a file that is not there": """
for path in ("/content/drive/settings.json", "data.npy"):
    try:
        open(path)
    except FileNotFoundError:
        pass
""",
    "asyncio": """
import asyncio
async def three():
    await asyncio.sleep(0)
    return await asyncio.to_thread(sum, [1, 2])
assert asyncio.run(three()) == 3
""",
    "a pair of sockets": """
import multiprocessing, socket
one, other = socket.socketpair()
one.send(b"x")
assert other.recv(1) == b"x"
one, other = multiprocessing.Pipe()
one.send(1)
assert other.recv() == 1
""",
    "a pool of threads": """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as pool:
    assert list(pool.map(abs, [1, -2])) == [1, 2]
""",
    "temporary folders": """
import pathlib, tempfile
with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "notes.txt").write_text("one")
    (pathlib.Path(folder) / "inner").mkdir()
""",
    "folders of its own": """
import os, shutil
os.makedirs("a/b/c")
os.chdir("a")
open("../notes.txt", "w").close()
os.chdir("..")
os.rename("notes.txt", "a/b/notes.txt")
shutil.move("a/b", "moved")
shutil.copyfile("moved/notes.txt", "a/copied.txt")
shutil.rmtree("a")
shutil.rmtree("moved")
""",
    "a file of arrays": "import pathlib; np.save('x.npy', np.ones(3)); np.load('x.npy'); pathlib.Path('x').touch()",
    "kinds of files": "import mimetypes; assert mimetypes.guess_type('a.txt')[0] == 'text/plain'",
    "time zones": "import zoneinfo, datetime; datetime.datetime.now().astimezone(); zoneinfo.available_timezones()",
    "who and where": """
import getpass, os, shutil, socket, sysconfig
socket.gethostname(), os.cpu_count(), shutil.disk_usage("."), sysconfig.get_config_vars(), os.path.expanduser("~")
""",
}
ON_LINUX = {"the system's name": "import os; os.path.exists('/etc/os-release') and open('/etc/os-release').read()"}


@pytest.fixture(scope="session")
def honest(course: Course, launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """A right causal_mask that does each of these first, graded with the suites collected once."""
    lines = {**HONEST_LINES, **(ON_LINUX if sys.platform == "linux" else {})}

    def graded(suites: Suites) -> dict[str, Report]:
        grading = Grading(course, suites, launcher, 0)
        exercise = course.exercise("causal_mask")
        reports = {}
        for name, text in lines.items():
            path = tmp_path_factory.mktemp("honest") / "causal_mask.py"
            body = textwrap.indent(text.strip(), "    ")
            path.write_text(f"import numpy as np\n\ndef causal_mask(n):\n{body}\n    return np.tri(n, dtype=bool)\n")
            reports[name] = grading.report(read_submission(path), [exercise])
        return reports

    return with_suites(course, graded, [course.exercise("causal_mask")])


@pytest.mark.parametrize("name", [*HONEST_LINES, *ON_LINUX])
def test_what_the_library_does_of_itself_is_not_held_against_anyone(name: str, honest: dict[str, Report]) -> None:
    """All points, no mistake named, and no word of what was tried."""
    if name not in honest:
        pytest.skip("there is none on this system")
    (exercise,) = honest[name].exercises
    assert exercise.score == exercise.max_score, [test.message for test in exercise.tests]
    assert not [mistake.code for mistake in exercise.mistakes]
    assert not [note for note in exercise.notes if "seen to try" in note]
