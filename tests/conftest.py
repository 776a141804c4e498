"""Fixtures of the project's own tests: the course, one warm parent for all, and a short way to grade."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.course import Course, load_course
from grader.grading import grade
from grader.report import Report
from grader.submission import read_submission
from grader.worker.launch import Launcher, make_launcher

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def course() -> Course:
    return load_course(ROOT)


@pytest.fixture(scope="session")
def tiny() -> Course:
    return load_course(ROOT / "tests" / "courses" / "tiny")


@pytest.fixture(scope="session")
def launcher() -> Iterator[Launcher]:
    made = make_launcher()
    yield made
    made.close()


Grade = Callable[..., Report]


@pytest.fixture
def grade_path(course: Course, launcher: Launcher) -> Grade:
    """Grade a path with the course, all exercises or those named."""

    def graded(path: Path, *names: str, seed: int = 0, course: Course = course) -> Report:
        exercises = [course.exercise(name) for name in names]
        return grade(read_submission(path), course, seed, launcher, exercises)

    return graded


@pytest.fixture
def grade_text(grade_path: Grade, tmp_path: Path) -> Grade:
    """Grade sources given as text by file name."""

    def graded(files: dict[str, str], *names: str, **options: object) -> Report:
        for name, text in files.items():
            path = tmp_path / "work" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return grade_path(tmp_path / "work", *names, **options)

    return graded
