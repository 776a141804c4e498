"""Draws docs/report.png: a real report of a real submission. Needs Chromium.

python docs/picture.py
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from grader.course import default_root, load_course
from grader.grading import grade
from grader.render import terminal
from grader.submission import read_submission
from grader.worker.launch import make_launcher

HERE = Path(__file__).parent
COLUMNS = 92

SUBMISSION = """import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def causal_mask(seq_len):
    return np.tril(np.ones((seq_len, seq_len), dtype=bool))


def attention(Q, K, V, mask=None):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    return softmax(scores) @ V
"""


def main() -> None:
    """Grade, render, draw."""
    launcher = make_launcher()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("softmax", "causal_mask", "attention"):
            module = Path(folder, "exercises", f"{name}.py")
            module.parent.mkdir(exist_ok=True)
            module.write_text(SUBMISSION)
        report = grade(read_submission(Path(folder)), load_course(default_root()), 0, launcher)
    launcher.close()
    text = terminal.render(report, width=COLUMNS).replace(folder, "my-work")
    console = Console(record=True, width=COLUMNS, file=open("/dev/null", "w"))  # noqa: PTH123, SIM115
    console.print(Text.from_ansi(text))
    svg = console.export_svg(title="grade")
    width, height = (round(float(size)) for size in re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)[0])
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        page.write_text(f"<meta charset='utf-8'><style>body {{ margin: 0 }}</style>{svg}")
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--hide-scrollbars",
        ]
        size = f"--window-size={width},{height}"
        picture = f"--screenshot={HERE / 'report.png'}"
        subprocess.run(["chromium", *options, size, picture, str(page)], check=True, capture_output=True)  # noqa: S607


if __name__ == "__main__":
    main()
