"""Autograding the same 20 notebooks: by our preprocessor, by stock nbgrader, and by nbgrader with nothing graded.

Prints the seconds of each whole command, the ratio of stock to ours, and the share of ours that is nbgrader's own.

    python tests/benchmarks/nbgrader_autograde.py
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NAME = "attention"
SUBMISSIONS = 20
WRONG = ("return exponentials / exponentials.sum(axis=axis, keepdims=True)", "return exponentials")
WAYS = {
    "ours": "",
    "stock": "\ndel c.Autograde\n",
    "nbgrader alone": "\nc.Autograde.autograde_preprocessors = c.Autograde.autograde_preprocessors[1:]\n",
}


def nbgrader(folder: Path, *words: str) -> float:
    """Seconds that a whole nbgrader command takes in a course folder."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "nbgrader", *words],
        cwd=folder,
        env={**os.environ, "PATH": path},
        check=True,
        capture_output=True,
    )
    return time.perf_counter() - began


def make(folder: Path, submissions: int = SUBMISSIONS) -> None:
    """A course with so many students: solutions, every second one with a softmax that is not normalised."""
    subprocess.run([sys.executable, "-m", "grader", "nbgrader", "init", str(folder)], check=True, capture_output=True)
    nbgrader(folder, "generate_assignment", NAME)
    solved = json.loads((folder / "source" / NAME / f"{NAME}.ipynb").read_text(encoding="utf-8"))
    released = json.loads((folder / "release" / NAME / f"{NAME}.ipynb").read_text(encoding="utf-8"))
    answers = {cell["id"]: cell["source"] for cell in solved["cells"]}
    for number in range(submissions):
        for cell in released["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("solution") and cell["cell_type"] == "code":
                cell["source"] = "".join(answers[cell["id"]]).replace(*(WRONG if number % 2 else ("", "")))
        place = folder / "submitted" / f"student-{number:02}" / NAME
        place.mkdir(parents=True)
        (place / f"{NAME}.ipynb").write_text(json.dumps(released), encoding="utf-8")


def main() -> None:
    """Time each way once, side by side on one machine."""
    with tempfile.TemporaryDirectory() as scratch:
        course = Path(scratch, "course")
        make(course)
        seconds = {}
        for way, change in WAYS.items():
            folder = Path(scratch, way.replace(" ", "-"))
            shutil.copytree(course, folder)
            with (folder / "nbgrader_config.py").open("a", encoding="utf-8") as config:
                config.write(change)
            seconds[way] = nbgrader(folder, "autograde", NAME)
            print(f"{way:<16}{seconds[way]:7.2f} s for {SUBMISSIONS} submissions")
    print(f"stock over ours: {seconds['stock'] / seconds['ours']:.2f} (goal: 4)")
    print(f"nbgrader's own share of ours: {seconds['nbgrader alone'] / seconds['ours']:.0%}")


if __name__ == "__main__":
    main()
