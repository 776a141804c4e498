"""Whole-process time of `grade run` on the solutions over plain pytest running the same suites without isolation.

    python tests/benchmarks/cold_run.py [RUNS]

Both are started in turn, A B A B …, so that a drifting machine hits both; the median ratio is what to quote.
pytest runs with its plug-ins switched off (`bare`) and as it is installed here (`installed`).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GRADE = [sys.executable, "-c", "from grader.cli import main; main()", "run", "--submission", "solutions"]
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "tests.benchmarks.in_process", "-c", os.devnull]
PYTEST += ["-p", "no:cacheprovider", "--rootdir", "grader/suites", "grader/suites"]


def seconds(command: list[str], **env: str) -> tuple[float, float]:
    """Seconds by the clock and of processor time, children included, of one run."""
    before, began = os.times(), time.perf_counter()
    subprocess.run(command, cwd=ROOT, env={**os.environ, **env}, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - began, os.times()
    return wall, (after.children_user + after.children_system) - (before.children_user + before.children_system)


def main(runs: int = 9) -> None:
    """Print medians and the ratios, pair by pair."""
    for name, env in {"bare": {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, "installed": {}}.items():
        pairs = [(seconds(GRADE), seconds(PYTEST, **env)) for _ in range(runs + 1)][1:]
        for what, index in (("wall", 0), ("cpu", 1)):
            ours = statistics.median(pair[0][index] for pair in pairs)
            theirs = statistics.median(pair[1][index] for pair in pairs)
            ratio = statistics.median(pair[0][index] / pair[1][index] for pair in pairs)
            print(f"{what:<5} grade run {ours:.3f} s, pytest ({name}) {theirs:.3f} s, ratio {ratio:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
