"""The wheel holds the course whole, and works from where it is installed."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from pathlib import Path


def test_the_wheel_holds_the_course_once(wheel: Path, root: Path) -> None:
    """course.yml, stubs, lesson, solutions, suites and mistakes: each once, laid out as in a checkout, and no tests."""
    names = [name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")]
    course = {name.removeprefix("grader/_course/") for name in names if name.startswith("grader/_course/")}
    for folder in ("exercises", "solutions", "grader/suites", "grader/mistakes", "grader/experiments"):
        tracked = {
            str(path.relative_to(root))
            for path in (root / folder).rglob("*.*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert {name for name in course if name.startswith(folder + "/")} == tracked
    assert "course.yml" in course
    assert not [name for name in names if name.startswith(("tests/", "grader/suites", "grader/mistakes"))]
    assert len([name for name in names if name.endswith("test_attention.py")]) == 1
    assert "grader/py.typed" in names
    assert "grader/report.schema.json" in names


def test_the_installed_package_starts_and_grades(wheel: Path, tmp_path: Path) -> None:
    """`grade start` and `grade` work from the wheel alone, with the requirements that are here."""
    venv.create(tmp_path / "venv", symlinks=True)
    site = next((tmp_path / "venv").glob("lib*/python*/site-packages"), tmp_path / "venv" / "Lib" / "site-packages")
    zipfile.ZipFile(wheel).extractall(site)
    here = [path for path in sys.path if path.endswith("site-packages")]
    (site / "requirements-of-this-test.pth").write_text("\n".join(here))
    python = next(
        path
        for path in (tmp_path / "venv" / "bin" / "python", tmp_path / "venv" / "Scripts" / "python.exe")
        if path.exists()
    )

    def grade(*args: str, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        command = [str(python), "-P", "-c", "from grader.cli import main; main()", *args]
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)

    assert grade("start", "mine").returncode == 0
    done = grade(cwd=tmp_path / "mine")
    assert done.returncode == 1, done.stderr
    assert "total: 0 of 100" in done.stdout
    found = subprocess.run(
        [str(python), "-P", "-c", "import grader; print(grader.__file__)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(site) in found.stdout, "this test must not grade with the checkout"
    solved = grade("run", "--submission", str(site / "grader" / "_course" / "solutions"))
    assert (solved.returncode, "total: 100 of 100" in solved.stdout) == (0, True)
