"""The documents tell the truth: every command in README runs, and every option and mistake is written down."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from grader.cli import main
from grader.course import Course

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SET_UP, STUDENT, INSTRUCTOR, OWN_COURSE, CLASS, NBGRADER, EXPLORE, ALONE = BLOCKS[:2], *BLOCKS[2:]
FAILS = {"grade", "grade run softmax", "grade run --format html --output report.html"}  # stubs: exit status 1


def run_all(block: str, cwd: Path) -> None:
    for line in block.splitlines():
        words = shlex.split(line, comments=True)
        if not words:  # a step that is no command
            continue
        if words[0] == "cd":
            cwd /= words[1]
            continue
        program = {"grade": "grader", "nbgrader": "nbgrader"}[words[0]]
        command = [sys.executable, "-m", program, *words[1:]]
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # as if it were activated
        done = subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, "PATH": path, "HOME": str(cwd)},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == (1 if line in FAILS else 0), f"{line}\n{done.stdout}{done.stderr}"


def test_the_students_screen_runs(tmp_path: Path) -> None:
    """Each command of the student's screen does what it says, from an empty folder."""
    run_all(STUDENT, tmp_path)
    assert (tmp_path / "my-work" / "report.html").stat().st_size > 2_000


@pytest.mark.parametrize("block", [INSTRUCTOR, OWN_COURSE], ids=["instructor", "own course"])
def test_the_instructors_screens_run(block: str, tmp_path: Path, root: Path) -> None:
    """Each command of the instructor's screens runs in a copy of the checkout."""
    for name in ("solutions", "tests/courses"):
        shutil.copytree(root / name, tmp_path / name)
    run_all(block, tmp_path)


CANVAS = 'Student,ID,SIS User ID,SIS Login ID,Section\nPoints Possible,,,,\n"Lovelace, Ada",7,a7,ada@example.org,One\n'
MOODLE = "First name,Last name,Email address\nAda,Lovelace,ada@example.org\n"


def test_the_screen_of_a_class_runs(tmp_path: Path, root: Path) -> None:
    """Each command for a class runs, on what one student handed in."""
    shutil.copytree(root / "solutions", tmp_path / "hand-ins" / "ada@example.org")
    (tmp_path / "export.csv").write_text(CANVAS, encoding="utf-8")
    (tmp_path / "participants.csv").write_text(MOODLE, encoding="utf-8")
    run_all("grade batch hand-ins --seed 1 --output before.jsonl", tmp_path)
    run_all(CLASS, tmp_path)
    assert "ada@example.org" in (tmp_path / "marks.csv").read_text(encoding="utf-8")
    assert "100" in (tmp_path / "import.csv").read_text(encoding="utf-8")
    assert (tmp_path / "class.html").stat().st_size > 5_000


def test_the_screen_of_experiments_runs(tmp_path: Path) -> None:
    """Each experiment that README shows runs outside of a workspace, and leaves the picture it promises."""
    pytest.importorskip("matplotlib", reason="matplotlib comes with the extra `plot`")
    run_all(EXPLORE, tmp_path)
    assert (tmp_path / "scaling.png").read_bytes().startswith(b"\x89PNG")


def test_the_screen_of_people_who_learn_alone_runs(tmp_path: Path) -> None:
    """Each command for those who learn alone runs outside of a workspace, and leaves the page it promises."""
    run_all(ALONE, tmp_path)
    assert (tmp_path / "quiz.html").stat().st_size > 10_000


def test_the_screen_of_nbgrader_runs(tmp_path: Path) -> None:
    """Each command for nbgrader runs, with what one student handed in."""
    pytest.importorskip("nbgrader", reason="nbgrader comes with the extra `nbgrader`")
    make, *rest = NBGRADER.splitlines()[:3], *NBGRADER.splitlines()[3:]
    run_all("\n".join(make), tmp_path)
    handed_in = tmp_path / "autumn" / "submitted" / "ada" / "attention"
    shutil.copytree(tmp_path / "autumn" / "release" / "attention", handed_in)
    run_all("\n".join(["cd autumn", *rest]), tmp_path)
    assert (tmp_path / "autumn" / "feedback" / "ada" / "attention" / "attention.html").exists()


def test_the_set_up_is_two_commands() -> None:
    """README begins with two commands, which CI runs as they stand in a fresh clone."""
    assert len(SET_UP) == 2
    assert all(block.startswith("python3 -m venv .venv && ") and block.count("\n") == 1 for block in SET_UP)
    ci = (Path(__file__).parents[1] / ".ci" / "run").read_text(encoding="utf-8")
    assert "README.md" in ci


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_command_and_option_is_in_readme_and_has_help(name: str) -> None:
    """Nothing of the command is undocumented."""
    command = main.commands[name]
    assert f"grade {name}" in README
    assert command.help
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, f"{name} {option.opts[0]} has no help"
            assert option.opts[0] in README, f"{name} {option.opts[0]} is not in README"


def test_every_link_of_the_documents_leads_somewhere(root: Path) -> None:
    """Relative links and pictures exist."""
    for file in [*root.glob("*.md"), root / "exercises" / "README.md"]:
        for link in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", file.read_text(encoding="utf-8")):
            assert link.startswith("http") or (file.parent / link).exists(), f"{file.name}: {link}"


def test_the_lesson_names_only_commands_that_exist(root: Path) -> None:
    """What the lesson tells a learner to run can be run."""
    lesson = (root / "exercises" / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`grade ([a-z]+)", lesson))
    assert named <= set(main.commands), named - set(main.commands)


def test_every_code_a_test_targets_has_words(course: Course) -> None:
    """No mistake is named without title, explanation and hints."""
    for exercise in course.exercises:
        assert all(words.title and words.explanation and words.hints for words in course.words(exercise).values())


def test_the_project_speaks_of_itself_alone(root: Path) -> None:
    """No path of a machine and no host of a package registry in what is tracked."""
    files = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=False
    ).stdout.split("\0")
    if files == [""]:
        pytest.skip("not a git checkout")
    for name in filter(None, files):
        path = root / name
        if path.suffix in (".py", ".md", ".yml", ".toml", ".json", ".sh") and path.exists() and path != Path(__file__):
            text = path.read_text(encoding="utf-8", errors="ignore")
            assert not re.search(r"/work/main|/root/|pypi\.org|registry\.npmjs|files\.pythonhosted", text), name
