"""Fixtures of the project's own tests: the course, one warm parent for all, and a short way to grade."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from grader.course import Course, load_course
from grader.grading import grade
from grader.report import Report
from grader.submission import read_submission
from grader.worker.launch import Launcher, make_launcher

ROOT = Path(__file__).parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", default="0", help="the seeds each case of tests/submissions is tried on: 0,1,2")
    parser.addoption("--forbid-skips", action="store_true", help="a test that is skipped fails: the tools must be here")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With --forbid-skips, a skip is a failure that says what is missing."""
    report = yield
    if report.skipped and item.config.getoption("--forbid-skips"):
        report.outcome = "failed"
        report.longrepr = f"skipped where skipping is forbidden: {report.longrepr}"
    return report


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test marked `tool(name)` is skipped where that program is missing."""
    for mark in item.iter_markers("tool"):
        for name in mark.args:
            if shutil.which(name) is None:
                pytest.skip(f"{name} is not installed")


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


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, built from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--disable-pip-version-check",
        "-w",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


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


@pytest.fixture
def open_path() -> Iterator[Path]:
    """A folder that everybody may enter."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def open_file(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open a file offline, `before` run in it first. After the test: no request but for it, no message, no dialog."""
    contexts, faults = [], []

    def opened(path: Path, before: str = "", **options: Any) -> Any:
        contexts.append(browser.new_context(offline=True, **options))
        page = contexts[-1].new_page()
        page.on("request", lambda request: request.url == path.as_uri() or faults.append(request.url))
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
        if before:
            page.add_init_script(before)
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not faults


@pytest.fixture
def open_page(open_file: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """Open a page, as `open_file` does."""
    numbers = count()

    def opened(text: str, *, width: int = 1280, **options: Any) -> Any:
        path = tmp_path / f"page-{next(numbers)}.html"
        path.write_text(text, encoding="utf-8")
        return open_file(path, viewport={"width": width, "height": 800}, **options)

    return opened
