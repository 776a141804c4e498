"""Whether `grade batch` stays as fast, and as small, from a hundred submissions to ten thousand.

    python tests/benchmarks/batch_growth.py [SIZE]...

Prints the milliseconds a submission, the start left out, and the peak memory of the command's own process. The goals:
the same milliseconds, and at most 10 % more memory.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.classroom import make_class  # noqa: E402 - only now is there a path to it

LOOK_SECONDS = 0.05


def run(folder: Path) -> tuple[float, int]:
    """Seconds of the whole command, and KiB of its peak memory (proc(5): VmHWM)."""
    began, peak = time.perf_counter(), 0
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-m", "grader", "batch", str(folder), "--fresh"]
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as batch:
        while batch.poll() is None:
            status = Path(f"/proc/{batch.pid}/status").read_text(encoding="ascii")
            peak = max([peak, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))])
            time.sleep(LOOK_SECONDS)
    return time.perf_counter() - began, peak


def main(sizes: list[int]) -> None:
    """Measure one size after the other."""
    with tempfile.TemporaryDirectory() as scratch:
        one = Path(scratch, "one")
        make_class(one, 1, looping=0)
        start, _ = run(one)
        first = 0
        for size in sizes:
            folder = Path(scratch, str(size))
            make_class(folder, size, looping=0)
            seconds, peak = run(folder)
            first = first or peak
            each = (seconds - start) / size * 1e3
            growth = f"{peak / 1024:.1f} MiB at most ({peak / first - 1:+.0%})"
            print(f"{size:6} submissions: {each:6.1f} ms each, {growth}")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [100, 1_000, 10_000])
