"""`grader.check` in a real kernel: what the student sees, what nbgrader reads, and what can not go wrong on the way."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from grader.desk import Desk
from grader.errors import GraderError

nbformat = pytest.importorskip("nbformat", reason="notebooks come with the extra `nbgrader`")
from nbclient import NotebookClient  # noqa: E402 - as above
from nbgrader.utils import determine_grade  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what runs kernels, not ours

SOFTMAX = """import numpy as np
def softmax(x, axis=-1):
    x = x.astype(np.result_type(x, np.float32))
    with np.errstate(over="ignore"):
        e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)
"""
OVERFLOWS = SOFTMAX.replace("x - x.max(axis, keepdims=True)", "x")
MASK_STUB = "def causal_mask(seq_len):\n    raise NotImplementedError\n"
CHECK = 'import grader; grader.check("softmax")'


def run(*cells: str, **environment: str) -> list[Any]:
    """The cells after they were run in one fresh kernel."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(notebook, kernel_name="python3", timeout=120, allow_errors=True)
    client.execute(env={**os.environ, **environment})
    return list(notebook.cells)


def value(cell: Any) -> str:
    """What the cell's last value reads as; "" where it has none."""
    return next((out.data["text/plain"] for out in cell.outputs if out.output_type == "execute_result"), "")


def shown(cell: Any, kind: str = "text/plain") -> str:
    return "\n".join(out.data.get(kind, "") for out in cell.outputs if out.output_type == "display_data")


def graded_by_nbgrader(cell: Any, points: float) -> float | None:
    """The points nbgrader's own reader takes from a run test cell; None where it refuses to take any."""
    meta = {"grade": True, "solution": False, "locked": True, "grade_id": "x", "points": points, "schema_version": 3}
    cell.metadata["nbgrader"] = nbformat.NotebookNode(meta)
    try:
        return float(determine_grade(cell)[0])
    except ValueError:
        return None


@pytest.fixture(scope="module")
def session() -> list[Any]:
    """One kernel, in which a learner goes from a stub to a right softmax, with a wrong turn on the way."""
    return run(
        OVERFLOWS,
        MASK_STUB,
        CHECK,
        "grader.check(softmax)",
        "grader.check('causal_mask')",
        "grader.hint('softmax')",
        "grader.hint(softmax)",
        "import warnings; warnings.warn('loud')\nnp.exp(np.array([1e4]))",
        SOFTMAX,
        "get_ipython().user_ns['softmax'] = None",
        CHECK,
        "grader.check('softmaks')",
        "import types; grader.check(types.SimpleNamespace(__name__='causal_mask'))",
        "%time grader.check('softmax')",
    )


def test_a_wrong_function_is_named_and_gets_what_it_earned(session: list[Any]) -> None:
    """The report names the mistake in text and in HTML; the last value is the points, a plain float."""
    cell = session[2]
    assert "Exponentiates large scores without subtracting the maximum" in shown(cell)
    assert "Exponentiates large scores without subtracting the maximum" in shown(cell, "text/html")
    assert value(cell) == "23.0"


def test_the_name_and_the_function_ask_for_the_same(session: list[Any]) -> None:
    """`check(softmax)` is `check("softmax")`."""
    assert value(session[3]) == value(session[2])
    assert shown(session[3]) == shown(session[2])


def test_a_stub_beside_it_is_no_matter(session: list[Any]) -> None:
    """While one function is a stub the others are graded; the stub gets 0 and the way on."""
    assert value(session[4]) == "0.0"
    assert "run its cell and this one again" in " ".join(shown(session[4]).split())


def test_hints_go_up_the_ladder(session: list[Any]) -> None:
    """Each call of `hint` shows the next rung."""
    assert "Hint 1 of" in shown(session[5])
    assert "Hint 2 of" in shown(session[6])


def test_the_cells_run_last_count(session: list[Any]) -> None:
    """A cell that was mended and run again takes the place of the old one."""
    assert value(session[10]) == "30.0"


def test_an_unknown_name_is_a_short_answer(session: list[Any]) -> None:
    """No traceback through the grader's source: what there is to choose from."""
    (error,) = session[11].outputs
    assert error.traceback == [
        "there is no exercise 'softmaks'\n  Did you mean 'softmax'? The exercises are: softmax, causal_mask, attention."
    ]


def test_only_the_name_of_a_function_is_looked_at(session: list[Any]) -> None:
    """Whatever calls itself by an exercise's name asks for that exercise's source, here a stub."""
    assert value(session[12]) == "0.0"


def test_nothing_is_said_on_standard_error(session: list[Any]) -> None:
    """Nbgrader gives 0 to a cell with one word there, whoever said it."""
    for cell in session:
        if "grader." in cell.source:
            assert not [out for out in cell.outputs if out.output_type == "stream" and out.name == "stderr"]


def test_a_wrong_attention_is_shown_on_maps(root: Path) -> None:
    """Where the weights are wrong the student's stand beside the right ones."""
    text = "def attention(Q, K, V, mask=None):\n    s = Q @ K.T\n    e = np.exp(s - s.max(1, keepdims=True))\n"
    text += "    return e / e.sum(1, keepdims=True) @ V"
    (_, _, cell) = run("import numpy as np", text, CHECK.replace("softmax", "attention"))
    assert "attention weights, with a causal mask" in shown(cell, "text/html")


def test_the_kernel_is_not_what_is_graded() -> None:
    """Broken live objects and a patched NumPy change nothing: the source is graded, in another process."""
    vandal = "names = get_ipython().user_ns\nnames['np'].exp = names['np'].ndarray = names['softmax'] = None"
    cells = run(SOFTMAX, CHECK, vandal, CHECK)
    assert [value(cells[1]), value(cells[3])] == ["30.0", "30.0"]


def test_an_interrupted_cell_costs_nothing() -> None:
    """A cell that never ended stays in the history; what follows is graded by what it needs."""
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in (SOFTMAX, "while True: pass", CHECK)]
    )
    client = NotebookClient(notebook, kernel_name="python3", timeout=3, interrupt_on_timeout=True, allow_errors=True)
    with client.setup_kernel():
        client.execute_cell(notebook.cells[0], 0)
        client.execute_cell(notebook.cells[1], 1)
        assert notebook.cells[1].outputs[-1].ename == "KeyboardInterrupt"
        client.timeout = 60
        client.execute_cell(notebook.cells[2], 2)
    assert value(notebook.cells[2]) == "30.0"


# ── what nbgrader reads ────────────────────────────────────────────────────────────────────────────


def test_nbgrader_reads_nothing_half_and_full_as_they_are() -> None:
    """0 is 0, a part is that part, full is full: nbgrader's own reader over cells that were run."""
    cells = run(SOFTMAX, CHECK, MASK_STUB, "grader.check(causal_mask)", OVERFLOWS, CHECK)
    points = {1: 30, 3: 20, 5: 30}
    assert [graded_by_nbgrader(cells[place], most) for place, most in points.items()] == [30, 0, 23]


def test_a_fault_of_the_grader_is_no_grade(tmp_path: Path) -> None:
    """While autograding, nbgrader refuses what a failed grader leaves, and records nothing: no zero, no full marks."""
    (cell,) = run(CHECK, GRADE_COURSE=str(tmp_path), NBGRADER_EXECUTION="autograde")
    assert "The grader failed, not this submission" in shown(cell)
    assert graded_by_nbgrader(cell, 30) is None


def test_a_learner_is_told_of_a_fault_of_the_grader(tmp_path: Path) -> None:
    """At the desk it is an error with its remedy, which nbgrader would read as 0, never as full marks."""
    (cell,) = run(CHECK, GRADE_COURSE=str(tmp_path))
    assert "no course here" in cell.outputs[0].traceback[0]
    assert graded_by_nbgrader(cell, 30) == 0


# ── the desk ───────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.close()


def request(*cells: str, exercise: str = "softmax") -> dict[str, Any]:
    notebook = {"cells": [{"cell_type": "code", "metadata": {}, "source": cell} for cell in cells]}
    return {"ask": "grade", "file": "n.ipynb", "notebook": notebook, "exercises": [exercise], "hints": True}


def test_one_program_answers_again_and_again(desk: Desk) -> None:
    """It is started once and kept warm."""
    first = desk.ask(request(SOFTMAX))
    program = desk.program
    assert first == desk.ask(request(SOFTMAX))
    assert desk.program is program


def test_a_program_that_was_killed_is_started_again(desk: Desk) -> None:
    """A grader that was killed is one clear error at most, and then there is another."""
    desk.ask(request(SOFTMAX))
    assert desk.program is not None
    desk.program.send_signal(signal.SIGKILL)
    desk.program.wait()
    assert desk.ask(request(SOFTMAX))["exercises"]["softmax"]["score"] == 30


def test_an_interrupt_leaves_no_answer_behind(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was on its way when the learner pressed stop is never taken for the answer to the next question."""
    desk.ask(request(SOFTMAX))

    def interrupted(*_: object) -> None:
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.2)

    loop = "def softmax(x, axis=-1):\n    while True: pass"
    interrupted()
    with pytest.raises(KeyboardInterrupt):
        desk.ask(request(loop))
    assert desk.ask(request(SOFTMAX))["exercises"]["softmax"]["score"] == 30


def test_threads_get_their_own_answers(desk: Desk) -> None:
    """Two that ask at once are answered one after the other, each what it asked."""
    with ThreadPoolExecutor(4) as pool:
        names = ["softmax", "causal_mask"] * 6
        replies = list(pool.map(lambda name: desk.ask(request(SOFTMAX, exercise=name)), names))
    assert [list(reply["exercises"]) for reply in replies] == [[name] for name in names]


def test_what_goes_wrong_is_said(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A course that is none, a request that is none: an error each, and no silence."""
    with pytest.raises(GraderError, match="there is no exercise 'x'"):
        desk.ask(request(SOFTMAX, exercise="x"))
    with pytest.raises(GraderError, match="the grader itself failed: KeyError"):
        desk.ask({"exercises": ["softmax"]})
    desk.close()
    monkeypatch.setenv("GRADE_COURSE", str(tmp_path))
    with pytest.raises(GraderError, match="no course here"):
        desk.ask(request(SOFTMAX))


def test_the_grader_ends_with_its_kernel(desk: Desk) -> None:
    """When the asking process is gone, nobody is left waiting: its pipe closes, and the grader ends."""
    desk.ask(request(SOFTMAX))
    program = desk.program
    assert program is not None
    assert program.stdin is not None
    program.stdin.close()
    assert program.wait(10) == 0


def test_hints_come_with_feedback_and_numbers_do_not(desk: Desk) -> None:
    """Feedback has the course's hints for each mistake, closed; never the right result of an example."""
    part = desk.ask(request(OVERFLOWS))["exercises"]["softmax"]
    assert part["html"].count("<details") == part["html"].count("<summary") >= 3
    assert "0.2689" not in part["html"]  # softmax of 1000 and 1001: the ladder's last rung


def test_a_secret_seed_draws_the_numbers(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The instructor's seed is made on first use, and the report shows a digest in its place."""
    file = tmp_path / "course" / "seed"
    monkeypatch.setenv("GRADE_SEED_FILE", str(file))
    text = desk.ask(request(SOFTMAX))["exercises"]["softmax"]["text"]
    assert file.read_text().strip() not in text
    assert "digest of the seed" in " ".join(text.split())


def test_nothing_that_matters_is_loaded_into_a_kernel() -> None:
    """`grader.check` brings neither suites nor pytest, NumPy's random numbers or the pipeline into the kernel."""
    probe = "import sys; sorted(m for m in sys.modules if m == 'pytest' or m.startswith('grader.'))"
    cells = run("x = 1", CHECK.replace("softmax", "causal_mask"), probe)
    assert json.loads(value(cells[2]).replace("'", '"')) == [
        "grader.bounds",
        "grader.definitions",
        "grader.desk",
        "grader.errors",
        "grader.history",
        "grader.jupyter",
        "grader.layout",
        "grader.source",
    ]


def test_a_second_check_is_quick(desk: Desk) -> None:
    """Once warm, a report is there well within a second."""
    desk.ask(request(SOFTMAX))
    began = time.monotonic()
    desk.ask(request(SOFTMAX))
    assert time.monotonic() - began < 5  # generous: a loaded machine must not fail it
