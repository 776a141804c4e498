"""Evidence and what-if: the smallest input that shows a mistake, and what its repair is worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grader.course import Course, Reveal
from grader.evidence import find_evidence, in_python
from grader.model import load_model
from grader.report import ExerciseReport, Report, Response
from tests.test_grading import ATTENTION

Grade = Callable[..., Report]

CASES = {
    "softmax": {
        "overflow": "import numpy as np\n"
        "def softmax(x, axis=-1): return np.exp(x) / np.exp(x).sum(axis, keepdims=True)",
        "wrong-axis": "import numpy as np\ndef softmax(x, axis=-1):\n e = np.exp(x - x.max())\n return e / e.sum()",
        "raises": "def softmax(x, axis=-1):\n return x.nothing",
    },
    "causal_mask": {
        "sees-next": "import numpy as np\ndef causal_mask(n):\n return np.tri(n, k=1, dtype=bool)",
        "transposed-mask": "import numpy as np\ndef causal_mask(n):\n return np.triu(np.ones((n, n), bool))",
    },
}


def only(report: Report) -> ExerciseReport:
    (exercise,) = report.exercises
    return exercise


@pytest.mark.parametrize(("name", "code"), [(name, code) for name, codes in CASES.items() for code in codes])
def test_pasted_evidence_shows_what_it_says(grade_text: Grade, name: str, code: str) -> None:
    """The two lines run in Python as they stand, on the student's own function, and give what the report says."""
    exercise = only(grade_text({f"{name}.py": CASES[name][code]}, name))
    shown = next(mistake.evidence for mistake in exercise.mistakes if mistake.code == code)
    assert shown is not None
    namespace: dict[str, object] = {"np": np}
    exec(CASES[name][code], namespace)
    assert shown.lines[0] == f"import numpy as np; from {name} import {name}"
    try:
        with np.errstate(all="ignore"):
            result = np.array2string(eval(shown.lines[1], namespace), precision=4, suppress_small=True, separator=", ")
    except AttributeError as error:
        result = f"AttributeError: {error}"
    assert shown.got == result


def test_small_integers_and_two_by_two_where_it_can_be(grade_text: Grade) -> None:
    """A transposed mask shows with two tokens, a whole-array softmax in a 2 by 2 table."""
    mask = only(grade_text({"causal_mask.py": CASES["causal_mask"]["transposed-mask"]}, "causal_mask")).mistakes[0]
    assert mask.evidence is not None
    assert mask.evidence.lines[1] == "causal_mask(2)"
    table = only(grade_text({"softmax.py": CASES["softmax"]["wrong-axis"]}, "softmax")).mistakes[0]
    assert table.evidence is not None
    assert table.evidence.lines[1].count(".0") == 4


def test_a_course_may_show_no_evidence(grade_text: Grade, course: Course) -> None:
    """`reveal.evidence: false` keeps it back, and the mistake is named all the same."""
    silent = replace(course, reveal=Reveal(evidence=False))
    exercise = only(grade_text({"softmax.py": CASES["softmax"]["overflow"]}, "softmax", course=silent))
    assert [(mistake.code, mistake.evidence) for mistake in exercise.mistakes] == [("overflow", None)]


def test_examples_are_no_hidden_tests_inputs(course: Course) -> None:
    """Examples are fixed, small and whole-numbered; hidden tests draw from the seed."""
    for exercise in course.exercises:
        assert exercise.model is not None
        model = load_model(exercise.model, exercise.function)
        assert model.examples
        for call in model.examples:
            arrays = [value for value in (*call[0], *call[1].values()) if isinstance(value, np.ndarray)]
            assert all(array.size <= 40 for array in arrays)
            assert all((array[np.isfinite(array)] == array[np.isfinite(array)].round()).all() for array in arrays)
            again = eval(in_python("same", call), {"np": np, "same": lambda *args, **named: (args, named)})
            assert repr(again) == repr((tuple(call[0]), dict(call[1])))


def test_what_if_is_what_happens(grade_text: Grade) -> None:
    """The score foretold for a repair is the score that the repaired code gets."""
    wrong = (
        "import numpy as np\n"
        "def attention(Q, K, V, mask=None):\n"
        "    s = Q.astype(float) @ K.T\n"
        "    s = s if mask is None else np.where(mask, s, -10.0)\n"
        "    e = np.exp(s - s.max(1, keepdims=True))\n"
        "    return e / e.sum(1, keepdims=True) @ V\n"
    )
    repairs = {"missing-scaling": ("@ K.T", "@ K.T / Q.shape[1] ** 0.5"), "weak-mask": ("-10.0", "-np.inf")}
    foretold = {each.repaired: each.score for each in only(grade_text({"attention.py": wrong}, "attention")).what_if}
    for code, (old, new) in repairs.items():
        assert foretold[code,] == only(grade_text({"attention.py": wrong.replace(old, new)}, "attention")).score


def test_mutation_is_told_beside_a_modelled_mistake(grade_text: Grade) -> None:
    """A changed argument is observed, does not disturb the fit, and has its own share in what-if."""
    text = (
        "import numpy as np\ndef softmax(x, axis=-1):\n"
        " x -= x.max()\n e = np.exp(x)\n return e / e.sum(axis, keepdims=True)"
    )
    exercise = only(grade_text({"softmax.py": text.replace("x -=", "x = x -")}, "softmax"))
    assert [mistake.code for mistake in exercise.mistakes] == ["underflow"]
    both = only(grade_text({"softmax.py": text}, "softmax"))
    assert "mutates-input" in [mistake.code for mistake in both.mistakes]


def test_right_code_has_nothing_named(grade_path: Grade, root: Path) -> None:
    """Full marks: no mistake, no what-if."""
    assert all(not each.mistakes and not each.what_if for each in grade_path(root / "solutions").exercises)


@pytest.mark.parametrize("body", ["np.exp(x) / np.exp(x).sum()", "np.exp(x) / np.exp(x).sum(axis=0)", "np.exp(x)"])
def test_each_of_two_mistakes_has_evidence_of_its_own(grade_text: Grade, body: str) -> None:
    """What is shown under a mistake is wrong because of that mistake, not because of the other one."""
    exercise = only(
        grade_text({"softmax.py": f"import numpy as np\ndef softmax(x, axis=-1): return {body}"}, "softmax")
    )
    shown = {mistake.code: mistake.evidence for mistake in exercise.mistakes}
    assert len(shown) == 2
    assert all(shown.values())
    assert shown["overflow"] is not None
    assert "inf" in shown["overflow"].got or "nan" in shown["overflow"].got
    assert len({evidence.lines for evidence in shown.values() if evidence}) == 2


def test_evidence_of_an_exception_raises_it(grade_text: Grade) -> None:
    """A missing transpose works on square tables: what is shown is a call that does raise."""
    text = ATTENTION.replace("@ K.T", "@ K")
    (mistake,) = only(grade_text({"attention.py": text}, "attention")).mistakes
    assert mistake.code == "raises"
    assert mistake.evidence is not None
    assert mistake.evidence.got.startswith("ValueError")


def test_one_fault_in_many_checks_is_told_once(grade_text: Grade) -> None:
    """Failures that differ in their figures alone stand together."""
    from grader.render import plain

    text = ATTENTION.replace("@ K.T", "@ K")
    report = grade_text({"attention.py": text}, "attention")
    failed = [test for test in only(report).tests if test.outcome == "failed"]
    assert len(failed) > 5
    assert plain.render(report).count("To try it yourself") < len(failed) / 2


def test_what_is_only_suspected_can_show_on_its_example(course: Course) -> None:
    """Whatever a function answers, a call with float64 is no example of what goes wrong in float16."""
    attention = course.exercise("attention")
    assert attention.model is not None
    model = load_model(attention.model, "attention")
    wrong = Response(np.full((1, 1), 7.0))
    shown = find_evidence(model, "attention", "", lambda *_: wrong, None, "half-precision-overflow")
    assert shown is not None
    assert "float16" in shown.lines[1]


def test_answers_that_are_all_broken_name_no_mistake(grade_text: Grade) -> None:
    """Inf here and nan there tell as little as one number: what is seen is the exception."""
    text = "def attention(Q, K, V, mask=None):\n    return Q @ K / 0\n"
    exercise = only(grade_text({"attention.py": text}, "attention"))
    assert [(each.code, each.certainty) for each in exercise.mistakes] == [("raises", "matched")]
