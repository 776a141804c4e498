"""`grade nbgrader batch` beside stock `nbgrader autograde`, on the same notebooks, of which no two are alike.

    python tests/benchmarks/nbgrader_batch.py [SMALL] [LARGE]

Prints the seconds of the whole commands for a small and a large class, the ratio of each, and the ratio for one
submission more: what the large class takes longer than the small one, for each that it has more. Goal: 20.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.nbgrader_autograde import NAME, make, nbgrader  # noqa: E402 - only now is there a path to it


def make_class(folder: Path, size: int) -> None:
    """A course in which every student has signed the code."""
    make(folder, size)
    for path in folder.glob(f"submitted/*/{NAME}/{NAME}.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code" and cell["metadata"].get("nbgrader", {}).get("solution"):
                cell["source"] = f"# {path.parts[-3]}\n{''.join(cell['source'])}"
        path.write_text(json.dumps(notebook), encoding="utf-8")


def ours(folder: Path) -> float:
    """Seconds of the whole command."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "grader", "nbgrader", "batch", str(folder)], check=True, capture_output=True)
    return time.perf_counter() - began


def stock(folder: Path) -> float:
    """Seconds of nbgrader's own preprocessors, which run each notebook."""
    with (folder / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write("\ndel c.Autograde\n")
    return nbgrader(folder, "autograde", NAME)


def main(small: int = 20, large: int = 200) -> None:
    """Time each way once for each size, side by side on one machine."""
    taken: dict[tuple[str, int], float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for size in (small, large):
            course = Path(scratch, f"course-{size}")
            make_class(course, size)
            for way, run in (("ours", ours), ("stock", stock)):
                folder = Path(scratch, f"{way}-{size}")
                shutil.copytree(course, folder)
                taken[way, size] = run(folder)
                print(f"{way:<8}{taken[way, size]:8.2f} s for {size} submissions", flush=True)
            print(f"whole commands, stock over ours: {taken['stock', size] / taken['ours', size]:.1f}", flush=True)
    more = {way: (taken[way, large] - taken[way, small]) / (large - small) for way in ("ours", "stock")}
    print(f"one submission more: ours {more['ours'] * 1000:.0f} ms, stock {more['stock'] * 1000:.0f} ms")
    print(f"after start-up, stock over ours: {more['stock'] / more['ours']:.1f} (goal: 20)")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
