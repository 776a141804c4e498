"""Submissions a second of `grade batch`, beside stock nbgrader and beside one pytest process a submission.

    python tests/benchmarks/batch_rate.py [SIZE] [WORKERS]

The class is made up (`classroom.py`): right, wrong and crashing submissions and three that loop, no two alike.
nbgrader's rate is that of `nbgrader_autograde.py`, without its start; pytest's that of plain processes side by side,
as many as there are workers, on such a class without loops. The floor is what a core needs for three forks of a warm
process and the same checks called bare. Goals: 60 times nbgrader, 12 times pytest, 3 times the floor.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.classroom import make_class  # noqa: E402 - only now is there a path to it
from tests.benchmarks.nbgrader_autograde import make, nbgrader  # noqa: E402

PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "tests.benchmarks.in_process", "-c", os.devnull]
PYTEST += ["-p", "no:cacheprovider", "--rootdir", "grader/suites", "grader/suites"]
SAMPLE = 40


def batch(folder: Path, workers: int) -> float:
    """Seconds of the whole command."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "grader", "batch", str(folder), "--workers", str(workers), "--fresh"]
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


def pytests(folder: Path, workers: int) -> float:
    """Submissions a second of a pytest process each, so many at a time."""
    places = sorted(folder.iterdir())[:SAMPLE]

    def one(place: Path) -> None:
        env = {**os.environ, "SUBMISSION": str(place), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        subprocess.run(PYTEST, cwd=ROOT, env=env, check=False, capture_output=True)

    began = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one, places))
    return len(places) / (time.perf_counter() - began)


def stock(scratch: Path) -> float:
    """Submissions a second of nbgrader's autograde, its start left out: of 20, and then of one."""
    course = scratch / "course"
    make(course)
    with (course / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write("\ndel c.Autograde\n")
    twenty = nbgrader(course, "autograde", "attention")
    one = nbgrader(course, "autograde", "attention", "--force", "--student", "student-00")
    return 19 / (twenty - one)


def floor() -> float:
    """Seconds of a core for three forks of a warm process and the checks called bare."""
    from tests.benchmarks.floor import bare_checks, fork

    return 3 * fork() + bare_checks()


def main(size: int = 1_000, workers: int = 2) -> None:
    """Time each way once, one after the other on one machine."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "class")
        make_class(folder, size)
        seconds = batch(folder, workers)
        ours = size / seconds
        print(
            f"grade batch          {ours:7.2f} a second ({size} submissions, {workers} workers, {seconds:.1f} s in all)"
        )
        easy = Path(scratch, "easy")
        make_class(easy, SAMPLE, looping=0)
        theirs = pytests(easy, workers)
        print(f"a pytest process each{theirs:7.2f} a second, {workers} at a time: ratio {ours / theirs:.1f} (goal: 12)")
        nbgraders = stock(Path(scratch))
        print(f"nbgrader autograde   {nbgraders:7.2f} a second: ratio {ours / nbgraders:.0f} (goal: 60)")
        least = floor()
        each = workers / ours
        print(
            f"a core needs {each * 1e3:.1f} ms, at the floor {least * 1e3:.1f} ms: ratio {each / least:.1f} (goal: 3)"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
