"""What people see: the report in a real terminal, wide and narrow, in colour and without."""

from __future__ import annotations

import ast
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.stubs import without_marks

Screen = Callable[..., str]

pytestmark = pytest.mark.tool("tmux")


@pytest.fixture
def screen(root: Path, tmp_path: Path) -> Iterator[Screen]:
    """Run `grade` in a terminal of its own and read the screen once the prompt is back."""
    server = str(tmp_path / "tmux")

    def tmux(*args: str) -> str:
        return subprocess.run(["tmux", "-S", server, *args], check=True, capture_output=True, text=True).stdout

    def shown(*args: str, columns: int = 80, env: str = "", colour: bool = False) -> str:
        command = shlex.join([sys.executable, "-c", "from grader.cli import main; main(prog_name='grade')", *args])
        script = f"cd {shlex.quote(str(root))}; unset NO_COLOR COLUMNS; {env} {command}; echo done-$?; sleep 60"
        tmux("new-session", "-d", "-x", str(columns), "-y", "200", "sh", "-c", script)
        capture = ("capture-pane", "-p", *(["-e"] if colour else []))
        for _ in range(300):
            text = tmux(*capture)
            if "done-" in text:
                return text
            time.sleep(0.1)
        raise AssertionError(f"no end of the report: {text}")

    yield shown
    subprocess.run(["tmux", "-S", server, "kill-server"], check=False, capture_output=True)


@pytest.mark.parametrize("columns", [45, 50, 60, 80, 120])
def test_a_terminal_gets_bars(screen: Screen, columns: int) -> None:
    """A bar an exercise, also where it is narrow, and no line that wraps."""
    text = screen("run", "--submission", "solutions", columns=columns)
    assert "━" in text
    assert "100 of 100" in text
    assert "done-0" in text
    assert all(len(line) <= columns for line in text.splitlines())


@pytest.mark.parametrize(("columns", "env"), [(50, "NO_COLOR=1"), (80, "NO_COLOR=1"), (80, "TERM=dumb")])
def test_colourless_terminals_get_plain_words(screen: Screen, columns: int, env: str) -> None:
    """NO_COLOR and a dumb terminal get words in place of bars and colours, at any width."""
    text = screen("run", "--submission", "exercises", columns=columns, env=env, colour=True)
    assert "softmax: 0 of 30, not implemented" in text
    assert "\x1b[" not in text
    assert "done-1" in text


@pytest.mark.parametrize("columns", [50, 80, 120])
@pytest.mark.parametrize("env", ["", "NO_COLOR=1"])
def test_experiments_fit_the_terminal(screen: Screen, columns: int, env: str) -> None:
    """A plot, grids and bars are as wide as the terminal at most; colour is there only where it is wanted."""
    for what in ("masking", "float16"):
        text = screen("explore", what, "--submission", "solutions", columns=columns, env=env)
        assert "done-0" in text
        drawn = text.partition("Source:")[0].splitlines()
        assert all(len(line) <= columns for line in drawn)
        assert not [line for line in drawn if line.startswith(("0 ", "│"))]  # what a line too long would leave
    seen = screen("explore", "masking", "--submission", "solutions", columns=columns, env=env, colour=True)
    assert ("\x1b[" in seen) == (not env)


def test_the_progress_of_a_long_experiment_is_gone_at_the_end(screen: Screen) -> None:
    """While it measures it says how far it is; the finding alone stays on the screen."""
    text = screen("explore", "stability", "--submission", "solutions")
    assert text.startswith("Naive against shifted softmax")
    assert "…" not in text


def test_a_colour_terminal_gets_colour(screen: Screen) -> None:
    """In a terminal the report is coloured, and readable without: every state is also a word or a sign."""
    for columns in (40, 50, 80):
        assert "\x1b[" in screen("run", "--submission", "exercises", columns=columns, colour=True)


@pytest.mark.parametrize("columns", [50, 80, 120])
@pytest.mark.parametrize("name", ["softmax", "causal_mask", "attention"])
def test_a_solution_is_read_whole_and_can_be_pasted(screen: Screen, columns: int, name: str, root: Path) -> None:
    """No word of code or prose is broken at the screen's edge, and what is copied from there is the same program."""
    text = screen("solution", name, "--submission", "solutions", columns=columns)
    source = without_marks((root / "solutions" / f"{name}.py").read_text(encoding="utf-8"))
    shown, _, end = text.partition("done-")
    assert end.startswith("0")
    lines = [line for line in source.splitlines() if ">>>" not in line]  # an example to type stays one line
    words = {word for line in lines for word in line.replace("(", "( ").split() if "#" not in word}
    assert words <= set(text.replace("(", "( ").split())
    assert meaning(shown) == meaning(source)


def meaning(source: str) -> str:
    """A program but for its comments, its layout, and the spaces in its strings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = "".join(node.value.split())
    return ast.dump(tree)


@pytest.mark.parametrize("columns", [50, 80, 120])
@pytest.mark.parametrize("env", ["", "NO_COLOR=1"])
def test_maps_fit_the_terminal(screen: Screen, columns: int, env: str, work: Path) -> None:
    """The weights stand beside the right ones where the terminal is wide enough, in colour where it is wanted."""
    asked = ("run", "attention", "--submission", str(work), "--maps")
    text = screen(*asked, columns=columns, env=env)
    assert "done-1" in text
    heads, numbers = _table(text)
    beside = {50: 1, 80: 2, 120: 2 if env else 3}[columns]  # plain words use 80 columns at most
    assert heads.split() == ["yours", "right", "difference"][:beside]
    assert {(len(line), len(line.split())) for line in numbers} == {(len(numbers[0]), 2 + 5 * beside)}
    assert ("\x1b[" in screen(*asked, columns=columns, env=env, colour=True)) == (not env)


def _table(text: str) -> tuple[str, list[str]]:
    """What stands above the first tables on a screen, and their rows of numbers."""
    lines = text.partition("Map: ")[2].splitlines()[1:]
    start = next(number for number, line in enumerate(lines) if "yours" in line)
    return lines[start], lines[start + 2 : start + 7]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """An attention that forgets to scale."""
    source = """
import numpy as np

def attention(Q, K, V, mask=None):
    scores = Q @ K.T
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ V
"""
    (tmp_path / "attention.py").write_text(source, encoding="utf-8")
    return tmp_path / "attention.py"
