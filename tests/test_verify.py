"""`grade verify` fails with a clear line on a course broken in each way it checks."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import Course, load_course
from grader.errors import CourseError, SuiteError
from grader.verify import machine, verify, write_stubs
from grader.worker.launch import Launcher

Copy = Callable[[str, str, str], Course]


@pytest.fixture
def broken(root: Path, tmp_path: Path) -> Copy:
    """The tiny course with one text replaced in one file."""

    def changed(name: str, old: str, new: str) -> Course:
        copy = Path(shutil.copytree(root / "tests" / "courses" / "tiny", tmp_path / "tiny"))
        text = (copy / name).read_text(encoding="utf-8")
        assert old in text
        (copy / name).write_text(text.replace(old, new), encoding="utf-8")
        return load_course(copy)

    return changed


def problems(course: Course, launcher: Launcher) -> list[str]:
    return [problem for check in verify(course, launcher) for problem in check.problems]


def test_the_tiny_course_passes(tiny: Course, launcher: Launcher) -> None:
    """Not one problem; the course of the package is verified where README's commands are run."""
    assert problems(tiny, launcher) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("stubs/unit.py", "length 1", "length 2", "differs from what its solution gives"),
        ("answers/unit.py", "### END SOLUTION", "", "SOLUTION"),
        ("answers/unit.py", "np.sqrt", "", "answers/unit.py|unit: length: failed"),
        ("unit.yml", "    - Look at what you divide by.\n", "", "has 2 hints"),
        ("unit.yml", "The length is the square root of the sum of squares.", "''", "no explanation"),
        ("unit.yml", "squared-length:", "other-code:", "no test targets other-code"),
        (
            "test_unit.py",
            '"squared-length"',
            '"squared-lenght"',
            "targets squared-lenght, which has no words",
        ),
        ("test_unit.py", '@pytest.mark.targets("squared-length")\n', "", "targets no mistake"),
        (
            "test_unit.py",
            "    assert np.allclose",
            "    return\n    assert np.allclose",
            "zeros earn 3 of 3 points, by length",
        ),
        ("test_unit.py", "import pytest\n", "import pytest\nimport grader\n", "imports grader"),
        (
            "test_unit.py",
            ', "The result is not the vector of length 1 in that direction."',
            "",
            "an assert without a sentence",
        ),
        ("test_unit.py", "points(3)", "points(2)", "its tests have 2 points; course.yml gives unit 3"),
        ("test_unit.py", "@pytest.mark.points(3)\n", "", "has no points"),
        (
            "test_unit.py",
            '    """The result has length 1 and points the same way"""\n',
            "",
            "has no docstring",
        ),
        ("test_unit.py", '@pytest.mark.example("unit(np.array([2.0, 0.0]))")\n', "", "has no example"),
        ("test_unit.py", "unit(np.array([2.0, 0.0]))", "unit(nothing)", "fails on the solution: NameError"),
    ],
)
def test_each_fault_of_a_course_is_told(
    broken: Copy, launcher: Launcher, name: str, old: str, new: str, expected: str
) -> None:
    """Broken in one place, the course fails with a line that says where."""
    found = problems(broken(name, old, new), launcher)
    assert any(part in line for line in found for part in expected.split("|")), found


def test_a_stub_that_solves_is_told(broken: Copy, launcher: Launcher) -> None:
    """A stub with a body gets points, and that is a fault of the course."""
    course = broken("stubs/unit.py", "raise NotImplementedError", "return v / np.sqrt((v * v).sum())")
    assert any("its stub gets 3 points" in line for line in problems(course, launcher))


def test_a_suite_that_depends_on_chance_is_told(broken: Copy, launcher: Launcher) -> None:
    """Two runs with one seed must give one report."""
    course = broken(
        "test_unit.py",
        "    assert np.allclose",
        '    assert False, f"{np.random.rand()}"\n    assert np.allclose',
    )
    assert any("different reports" in line for line in problems(course, launcher))


def test_a_suite_that_cannot_be_collected_is_an_error(broken: Copy, launcher: Launcher) -> None:
    """A syntax error in a hidden suite names itself."""
    with pytest.raises(SuiteError, match=r"SyntaxError|invalid syntax"):
        problems(broken("test_unit.py", "import pytest", "import pytest oh no"), launcher)


def test_stubs_are_written_from_solutions(broken: Copy, launcher: Launcher) -> None:
    """`--write-stubs` mends the drift; a solution without marks is refused before anything is written."""
    course = broken("answers/unit.py", "scaled to length 1", "scaled to length one")
    assert [path.name for path in write_stubs(course)] == ["unit.py"]
    assert problems(course, launcher) == []
    course.exercises[0].solution.write_text("x = 1\n")
    with pytest.raises(CourseError, match="BEGIN SOLUTION"):
        write_stubs(course)


def test_the_machine_is_described(launcher: Launcher) -> None:
    """`--machine` says what isolation took hold here."""
    first, *others = machine(launcher)
    assert not first.problems
    assert "isolation process" in first.title
    assert any(check.title.startswith("has process") for check in others)
    assert any(check.title.startswith("LACKS seccomp") for check in others) != ("seccomp" in first.title)
