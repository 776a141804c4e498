"""course.yml: every fault is found at once, each with its path and a remedy."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.course import Course, Limits, Reveal, default_root, load_course
from grader.errors import CourseError, UsageError

Broken = Callable[[dict[str, Any]], object]


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(root / "tests" / "courses" / "tiny", tmp_path / "course"))


def change(copy: Path, edit: Broken) -> Path:
    data = yaml.safe_load((copy / "course.yml").read_text())
    edit(data)
    (copy / "course.yml").write_text(yaml.safe_dump(data))
    return copy


def test_the_course_that_comes_with_the_package(course: Course) -> None:
    """Three exercises, 100 points, and attention alone may call the others."""
    assert course.root == default_root()
    assert [(exercise.name, exercise.points) for exercise in course.exercises] == [
        ("softmax", 30),
        ("causal_mask", 20),
        ("attention", 50),
    ]
    assert course.max_score == 100
    assert [exercise.uses for exercise in course.exercises] == [(), (), ("softmax", "causal_mask")]
    assert course.limits == Limits()
    assert course.reveal == Reveal()


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda c: c.pop("title"), "title: expected a text, got nothing."),
        (lambda c: c.update(title=3), "title: expected a text, got 3."),
        (lambda c: c.update(titel="x"), "titel: unknown. Did you mean 'title'?"),
        (lambda c: c.update(exercises=[]), "exercises: expected a list with at least one exercise."),
        (lambda c: c.update(exercises=["unit"]), "exercises[0]: expected settings by name, got 'unit'."),
        (
            lambda c: c["exercises"][0].update(points="many"),
            "exercises[0].points: expected a number above 0, got 'many'.",
        ),
        (
            lambda c: c["exercises"][0].update(points=True),
            "exercises[0].points: expected a number above 0, got True.",
        ),
        (
            lambda c: c["exercises"][0].update(points=float("inf")),
            "exercises[0].points: expected a number above 0",
        ),
        (
            lambda c: c["exercises"][0].update(function="a b"),
            "exercises[0].function: 'a b' is no Python name to use here.",
        ),
        (
            lambda c: c["exercises"][0].update(suite="none.py"),
            "exercises[0].suite: there is no file none.py.",
        ),
        (lambda c: c.update(experiments="none.py"), "experiments: there is no file none.py."),
        (lambda c: c["exercises"][0].update(point=3), "exercises[0].point: unknown. Did you mean 'points'?"),
        (
            lambda c: c["exercises"][0].update(uses="unit"),
            "exercises[0].uses: expected a list of exercise names.",
        ),
        (
            lambda c: c["exercises"][0].update(uses=["unit"]),
            "exercises[0].uses: 'unit' is no other exercise.",
        ),
        (lambda c: c["exercises"].append(c["exercises"][0]), "exercises[1].name: 'unit' is there twice."),
        (
            lambda c: c.update(limits={"call_cpu_seconds": 0}),
            "limits.call_cpu_seconds: expected a number above 0, got 0.",
        ),
        (lambda c: c.update(limits={"cpu": 1}), "limits.cpu: unknown."),
        (lambda c: c.update(limits=[1]), "limits: expected settings by name, got [1]."),
        (lambda c: c.update(reveal={"output": "yes"}), "reveal.output: expected true or false, got 'yes'."),
    ],
)
def test_each_fault_names_its_path_and_a_remedy(copy: Path, edit: Broken, expected: str) -> None:
    """A fault is one line: where, what, and what to do."""
    with pytest.raises(CourseError) as caught:
        load_course(change(copy, edit))
    lines = [problem for problem in caught.value.problems if problem.startswith(expected)]
    assert len(lines) == 1, caught.value.problems
    assert len(lines[0]) > len(expected) or expected.endswith(tuple("0123456789"))


def test_all_faults_are_told_at_once(copy: Path) -> None:
    """Three faults, three lines, one error that names the file."""

    def edit(data: dict[str, Any]) -> None:
        data.pop("title")
        data["exercises"][0]["points"] = -1
        data["limits"] = {"call_wall_seconds": "ten"}

    with pytest.raises(CourseError) as caught:
        load_course(change(copy, edit))
    assert len(caught.value.problems) == 3
    assert str(copy / "course.yml") in str(caught.value)
    assert "3 problems" in str(caught.value)


@pytest.mark.parametrize("text", ["exercises: [", "\t", "a: b: c", "\0", "- 1", "", "3"])
def test_a_file_that_is_no_course_is_an_error_of_ours_to_word(copy: Path, text: str) -> None:
    """Text that is no YAML, or no mapping, is said to be so."""
    (copy / "course.yml").write_text(text)
    with pytest.raises(CourseError, match="problem"):
        load_course(copy)


def test_a_missing_course_names_the_option(tmp_path: Path) -> None:
    """No course.yml: the remedy names --course."""
    with pytest.raises(UsageError, match="--course"):
        load_course(tmp_path)


def test_settings_are_read(copy: Path) -> None:
    """Limits and reveal settings that are given replace the defaults, the others stay."""
    course = load_course(change(copy, lambda c: c.update(limits={"call_cpu_seconds": 1}, reveal={"output": False})))
    assert course.limits == Limits(call_cpu_seconds=1.0)
    assert course.reveal == Reveal(output=False)


@pytest.mark.parametrize("name", ["course.yml", "test_unit.py", "unit.yml", "common.yml"])
def test_the_version_follows_course_suites_and_mistakes(copy: Path, name: str) -> None:
    """A change in what decides marks changes the version; a change elsewhere does not."""
    course = load_course(copy)
    before = course.version()
    (copy / "lesson.md").write_text("Other words.")
    assert course.version() == before
    (copy / name).write_text((copy / name).read_text() + "\n# changed\n")
    assert course.version() != before


def test_words_without_their_parts_are_a_fault_of_the_course(copy: Path) -> None:
    """A mistake without explanation or hints is reported with its file."""
    (copy / "unit.yml").write_text("squared-length:\n  title: x\n")
    course = load_course(copy)
    with pytest.raises(CourseError, match=r"unit\.yml"):
        course.words(course.exercises[0])


def test_an_unknown_exercise_names_the_nearest(course: Course) -> None:
    """A slip of the fingers is answered with the name that was meant."""
    with pytest.raises(UsageError, match="Did you mean 'softmax'"):
        course.exercise("sofmax")
