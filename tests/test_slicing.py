"""A notebook without what never ends, a session that fits, and a seed of one's own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from grader.bounds import MAX_CODE_BYTES, MAX_NOTEBOOK_CELLS
from grader.errors import GraderError, UsageError
from grader.history import bounded
from grader.seed import digest, secret_seed
from grader.slicing import goes_on_from, without
from grader.source import Module


@pytest.mark.parametrize(
    ("text", "statement", "left"),
    [
        ("a = 1\nwhile True: pass\nb = 2", 1, "a = 1\npass\nb = 2"),
        ("import os; os._exit(0); a = 1", 1, "import os; pass; a = 1"),
        ("@f\n@g(\n 1)\ndef h():\n    return 2\na = 1", 0, "pass\n\n\n\n\na = 1"),
        ("s = '√√√'; g = 1; f = '√'", 1, "s = '√√√'; pass; f = '√'"),
        ('print("""a\nb"""); c = 3', 0, "pass; c = 3\n"),
    ],
)
def test_a_statement_goes_and_every_line_keeps_its_number(text: str, statement: int, left: str) -> None:
    """One statement becomes `pass`, whole, and messages go on naming the right lines."""
    part = without(Module("m", "m.ipynb", text), [statement])
    assert part.text.count("\n") == text.count("\n")
    assert part.text.rstrip("\n") == left.rstrip("\n")


# ── a session ──────────────────────────────────────────────────────────────────────────────────────


def test_a_session_is_graded_as_it_was_run() -> None:
    """Every cell counts, in order, also one that was run again: what it does depends on what was run in between."""
    texts = ["class S: a = 1", "s = S()", "class S: a = 2", "s = S()", "n = 1", "n *= 2", "n *= 2"]
    assert bounded(texts) == texts


def test_of_a_very_long_session_old_definitions_go_first() -> None:
    """A cell that was mended a thousand times counts in its last form, and cells keep their numbers."""
    cell = "def f():\n    return " + " + ".join(["1"] * 500)
    texts = ["import numpy as np", "x = f", *[f"{cell} + {number}" for number in range(300)], "y = 2"]
    kept = bounded(texts)
    assert len(kept) == len(texts)
    assert sum(map(len, kept)) < MAX_CODE_BYTES
    assert kept[:2] == texts[:2]
    assert kept[-2:] == texts[-2:]
    assert "" in kept


@pytest.mark.parametrize("texts", [["x = 1"] * (MAX_NOTEBOOK_CELLS + 1), ["x = " + "1 + " * 10**5 + "1"] * 2])
def test_a_session_that_is_too_long_says_what_to_do(texts: list[str]) -> None:
    """It is an error with its remedy, never a zero."""
    with pytest.raises(UsageError, match="Restart the kernel"):
        bounded(texts)


# ── the seed ───────────────────────────────────────────────────────────────────────────────────────


def test_a_secret_seed_is_made_once_and_kept(tmp_path: Path) -> None:
    """The file is its owner's alone; what is shown of the seed does not tell it."""
    file = tmp_path / "course" / ".grade" / "seed"
    seed = secret_seed(file)
    assert secret_seed(file) == seed != secret_seed(tmp_path / "other")
    assert file.stat().st_mode & 0o077 == 0
    assert digest(seed) != seed
    assert 0 <= digest(seed) < 2**32
    assert [path.name for path in file.parent.iterdir()] == ["seed"]


def test_whoever_makes_a_seed_first_makes_it_for_all(tmp_path: Path) -> None:
    """Graders that start together agree on one seed."""
    for number in range(40):
        with ThreadPoolExecutor(8) as pool:
            seeds = set(pool.map(lambda _, n=number: secret_seed(tmp_path / str(n) / "seed"), range(8)))
        assert len(seeds) == 1


@pytest.mark.parametrize("text", ["", "x", "-5", "1.5"])
def test_a_seed_that_is_none_is_an_error(tmp_path: Path, text: str) -> None:
    """A damaged file is named, and left as it is."""
    (tmp_path / "seed").write_text(text)
    with pytest.raises(GraderError, match="the course's seed cannot be read"):
        secret_seed(tmp_path / "seed")
    assert (tmp_path / "seed").read_text() == text


def test_a_longer_statement_is_another() -> None:
    """A loop that one student left open may be ended by the next line of another: then it is not the same loop."""
    loop = "import os\nwhile True:\n    n += 1"
    assert goes_on_from(f"{loop}\nx = 1", loop)
    assert goes_on_from(loop, loop)
    assert not goes_on_from(f"{loop}\n    if n > 5: break", loop)
    assert not goes_on_from("import os", loop)
