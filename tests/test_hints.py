"""The ladder of hints: one rung a call, for the most valuable mistake, remembered by the workspace."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import Course, Reveal
from grader.errors import UsageError
from grader.evidence import expected
from grader.hints import every_hint, next_hint
from grader.report import Report
from grader.state import State, load_state, save_state

Grade = Callable[..., Report]

UNSCALED = (
    "import numpy as np\n"
    "def attention(Q, K, V, mask=None):\n"
    "    s = Q.astype(float) @ K.T\n"
    "    s = s if mask is None else np.where(mask, s, -np.inf)\n"
    "    e = np.exp(s - s.max(1, keepdims=True))\n"
    "    return e / e.sum(1, keepdims=True) @ V\n"
)


@pytest.fixture
def unscaled(grade_text: Grade) -> Report:
    return grade_text({"attention.py": UNSCALED}, "attention")


def climb(report: Report, course: Course, state: State, times: int) -> list[str]:
    return [next_hint(report, course, "attention", state, expected(course)) for _ in range(times)]


def test_each_call_goes_one_rung_up_and_stays_on_the_last(unscaled: Report, course: Course) -> None:
    """Three rungs of the course's, then the right result; asked again, the last one stays."""
    hints = climb(unscaled, course, State(), 5)
    assert [f"Hint {rung} of 4" in hint for rung, hint in zip((1, 2, 3, 4, 4), hints, strict=True)] == [True] * 5
    assert hints[3] == hints[4]
    assert "last hint" in hints[3]


def test_the_right_result_is_kept_for_the_last_rung(unscaled: Report, course: Course) -> None:
    """The learner's own numbers come on the way, the right ones at the end, and the line itself never."""
    (mistake,) = unscaled.exercises[0].mistakes
    assert mistake.evidence is not None
    right = expected(course)(mistake)
    hints = climb(unscaled, course, State(), 4)
    assert mistake.evidence.got in hints[1]
    assert right != mistake.evidence.got
    assert [right in hint for hint in hints] == [False, False, False, True]
    assert not [hint for hint in hints if "Q @ K.T /" in hint]


def test_a_mended_mistake_starts_its_ladder_again(
    unscaled: Report, course: Course, grade_path: Grade, root: Path
) -> None:
    """Gone and come back, a mistake is met with its first question."""
    state = State()
    climb(unscaled, course, state, 3)
    solved = grade_path(root / "solutions", "attention")
    assert "nothing left" in next_hint(solved, course, "attention", state, expected(course))
    other = UNSCALED.replace("-np.inf", "-10.0").replace("@ K.T", "@ K.T / Q.shape[1] ** 0.5")
    assert "weak-mask" in next_hint(_graded(grade_path, other, root), course, "attention", state, expected(course))
    assert "Hint 1 of 4" in climb(unscaled, course, state, 1)[0]


def _graded(grade_path: Grade, text: str, root: Path) -> Report:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "attention.py").write_text(text)
        return grade_path(Path(folder), "attention")


def test_the_most_valuable_mistake_comes_first(grade_text: Grade, course: Course) -> None:
    """Of two mistakes the hint is for the one whose repair gives more."""
    text = UNSCALED.replace("Q.astype(float) @ K.T", "Q @ K.T")
    report = grade_text({"attention.py": text}, "attention")
    gains = {each.repaired[0]: each.score for each in report.exercises[0].what_if}
    assert gains["missing-scaling"] > gains["half-precision-overflow"]
    assert "missing-scaling" in climb(report, course, State(), 1)[0]
    assert 'attention: "Does not divide the scores by √d_k" costs 13 points' in report.next_step


def test_instructors_see_the_whole_ladder(unscaled: Report, course: Course) -> None:
    """`--all` has every rung and moves nothing on."""
    text = every_hint(unscaled, course, "attention", expected(course))
    assert all(f"Hint {rung} of 4" in text for rung in (1, 2, 3, 4))


def test_a_course_may_give_no_hints(unscaled: Report, course: Course) -> None:
    """Where mistakes are not revealed there is nothing to hint at, and it says so."""
    from dataclasses import replace

    silent = replace(course, reveal=Reveal(mistakes=False))
    with pytest.raises(UsageError, match="no hints"):
        next_hint(unscaled, silent, None, State(), expected(course))


def test_no_hint_names_another_file_to_compile(course: Course) -> None:
    """A syntax error may be in any file: its hints name none."""
    for exercise in course.exercises:
        hints = " ".join(course.words(exercise)["syntax-error"].hints)
        assert "py_compile" in hints
        assert not re.search(r"\w+\.py\b", hints)


def test_a_state_is_written_whole_and_read_back(tmp_path: Path) -> None:
    """What was shown is remembered, in a folder that git ignores."""
    save_state(tmp_path, State({"attention": {"weak-mask": 2}}))
    assert load_state(tmp_path) == (State({"attention": {"weak-mask": 2}}), "")
    assert sorted(path.name for path in (tmp_path / ".grade").iterdir()) == [".gitignore", "state.json"]
    assert json.loads((tmp_path / ".grade" / "state.json").read_text())["version"] == 1


@pytest.mark.parametrize(
    "text",
    [
        *["", "{", "[]", "null", '{"version": 2, "rungs": {}}', '{"version": 1, "rungs": 3}', '{"version": 1}', "\x00"],
        *(f'{{"version": 1, "rungs": {{"a": {{"b": {rung}}}}}}}' for rung in ("-1", "1e3", "true", '"2"', "9" * 99)),
    ],
)
def test_a_damaged_state_is_set_aside_never_overwritten(tmp_path: Path, text: str) -> None:
    """A file that cannot be read keeps its bytes under another name, twice if need be."""
    for number in (1, 2):
        (tmp_path / ".grade").mkdir(exist_ok=True)
        (tmp_path / ".grade" / "state.json").write_text(text)
        state, note = load_state(tmp_path)
        assert state == State()
        assert f"state.damaged-{number}.json" in note
        assert (tmp_path / ".grade" / f"state.damaged-{number}.json").read_text() == text
