"""What of a notebook one function needs, and what of a session counts once."""

from __future__ import annotations

import pytest

from grader.history import without_repeats
from grader.seed import digest, secret_seed
from grader.slicing import needed_by
from grader.source import Module

NEEDED = {
    "its definition": "def f(): pass",
    "the last and the first definition": "def f(): return 1\nf = cached(f)\ndef cached(g): return g",
    "a helper, and what that needs": "LIMIT = 3\ndef helper(): return LIMIT\ndef f(): return helper()",
    "imports": "import os, math\ndef f(): return math.pi",
    "a class it uses": "class Box: pass\ndef f(): return Box()",
    "what changes something needed": "T = {}\nT['a'] = 1\nL = []\nL.append(1)\ndel T['a']\ndef f(): return T, L",
    "a definition under a condition": "if 1 < 2:\n    def f(): return 1\nelse:\n    f = None",
    "a decorator": "def twice(g): return g\n@twice\ndef f(): pass",
    "a name bound by unpacking": "A, B = 1, 2\ndef f(): return B",
}
UNNEEDED = {
    "a loop of its own": "while True: pass",
    "a call that ends the process": "os._exit(0)",
    "a call of the function": "f(1)",
    "a result that is only looked at": "out = f(1)\nout",
    "another function": "def g():\n    return 2",
    "a decorated one, whole": "@f\ndef g():\n    return 2",
    "a setting of a module": "np.random.seed(0)",
    "text over lines": 'print("""a\nb""")',
}


@pytest.mark.parametrize("what", NEEDED)
def test_what_a_function_needs_stays(what: str) -> None:
    """What it refers to, directly or not, is kept whole."""
    assert needed_by(Module("m", "m.ipynb", NEEDED[what]), "f") is None


@pytest.mark.parametrize("what", UNNEEDED)
def test_what_a_function_does_not_need_goes(what: str) -> None:
    """All else becomes `pass`, line for line, so that messages name the right lines."""
    text = f"import os\nimport numpy as np\n{UNNEEDED[what]}\ndef f(x=0):\n    return np.pi"
    part = needed_by(Module("m", "m.ipynb", text), "f")
    assert part is not None
    assert part.text.count("\n") == text.count("\n")
    names: dict[str, object] = {}
    exec(part.text, names)
    assert callable(names["f"])
    assert names.keys() - {"__builtins__"} == {"f", "np", "os"}


def test_letters_of_several_bytes_keep_their_place() -> None:
    """Columns are counted as Python's parser counts them."""
    part = needed_by(Module("m", "m.ipynb", "s = '√√√'; g = 1; f = '√'"), "f")
    assert part is not None
    assert part.text == "pass; pass; f = '√'"


@pytest.mark.parametrize(
    ("ran", "counts"),
    [
        ("a a", "a -"),
        ("a b a", "a b -"),
        ("v w v", "v w v"),  # the last definition is the first text's again
        ("v w v v", "v w v -"),
        ("v a v", "v a -"),
        ("? ?", "? ?"),  # no plain Python: it may bind anything
        ("p p", "p -"),
    ],
)
def test_a_cell_that_was_only_run_again_counts_once(ran: str, counts: str) -> None:
    """A repetition is left out where nothing between has bound its names anew, and cells keep their numbers."""
    texts = {
        "a": "import numpy as np\na = 1",
        "b": "b = 2",
        "v": "def f(): return 1",
        "w": "def f(): return 2",
        "?": "%%time\nf = 3",
        "p": "print(1)",
        "-": "",
    }
    assert without_repeats([texts[key] for key in ran.split()]) == [texts[key] for key in counts.split()]


def test_a_secret_seed_is_made_once_and_kept(tmp_path) -> None:
    """The file is its owner's alone; what is shown of the seed does not tell it."""
    file = tmp_path / "course" / ".grade" / "seed"
    seed = secret_seed(file)
    assert secret_seed(file) == seed != secret_seed(tmp_path / "other")
    assert file.stat().st_mode & 0o077 == 0
    assert digest(seed) != seed
    assert 0 <= digest(seed) < 2**32
