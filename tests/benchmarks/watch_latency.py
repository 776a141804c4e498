"""From a save to the new report under `grade watch`, over a cold `grade run` of the same workspace.

    python tests/benchmarks/watch_latency.py [SAVES]

Both are taken in turn, A B A B …, so that a drifting machine hits both; the median ratio is what to quote. The watch
writes to a pipe and is told by file events; the clock runs from the save to the last line of its report. Half of the
saves make softmax right, half make it overflow, which a diagnosis has to find.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GRADE = [sys.executable, "-c", "from grader.cli import main; main()"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
NAIVE = (
    "import numpy as np\ndef softmax(x, axis=-1):\n    e = np.exp(x)\n    return e / e.sum(axis=axis, keepdims=True)\n"
)


def main(saves: int = 20) -> None:
    """Print medians, the slowest, and the ratio."""
    with tempfile.TemporaryDirectory() as folder:
        exercises = Path(folder) / "exercises"
        shutil.copytree(ROOT / "solutions", exercises)
        right = (exercises / "softmax.py").read_text(encoding="utf-8")
        command = [*GRADE, "watch"]
        with subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as watch:
            _until(watch, "total:")
            time.sleep(1)  # for the file events to be asked for
            taken = [_turn(watch, Path(folder), NAIVE if turn % 2 else right, turn) for turn in range(1, saves + 1)]
            watch.terminate()
    warm, cold = ([each[at] for each in taken] for at in (0, 1))
    ratio = statistics.median(one / other for one, other in taken)
    print(f"save to report {statistics.median(warm):.3f} s (slowest {max(warm):.3f} s)")
    print(f"grade run      {statistics.median(cold):.3f} s, ratio {ratio:.2f}")


def _turn(watch: subprocess.Popen[str], folder: Path, text: str, turn: int) -> tuple[float, float]:
    """Seconds from a save to its report, and of a cold run."""
    began = time.perf_counter()
    (folder / "exercises" / "softmax.py").write_text(f"{text}# {turn}\n", encoding="utf-8")
    _until(watch, "now named" if "e = np.exp" in text else "mistake gone")
    warm, began = time.perf_counter() - began, time.perf_counter()
    subprocess.run(GRADE, cwd=folder, env=ENVIRONMENT, check=False, stdout=subprocess.DEVNULL)
    return warm, time.perf_counter() - began


def _until(watch: subprocess.Popen[str], words: str) -> None:
    assert watch.stdout is not None
    while words not in watch.stdout.readline():
        pass


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
