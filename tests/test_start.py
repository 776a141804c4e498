"""`grade start`: a workspace that editors open well, the old one kept, and what platforms run, as they run it."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.cli import main
from grader.cli.start import DISTRIBUTION, PLATFORMS, REQUIREMENT
from grader.continuous import ARCHIVE, WORKFLOW
from grader.continuous import PLATFORMS as SERVED
from grader.course import Course
from grader.errors import UsageError
from grader.places import places
from grader.render import editor
from grader.report import Report
from grader.submission import read_submission
from grader.vscode import PROBLEM
from grader.workspace import set_aside, start

Run = Callable[..., subprocess.CompletedProcess[str]]
ROOT = Path(__file__).parents[1]
TODAY = date(2031, 4, 1)
WRONG = {
    "softmax.py": "import numpy as np\n\n\ndef softmax(x, axis=-1):\n    e = np.exp(x)\n    return e / e.sum(5)\n",
    "causal_mask.py": "import numpy as np\n\ndef causal_mask(seq_len):\n    return np.tri(seq_len,\n",
    "attention.py": "import numpy as np\n\n\n\ndef attention(Q, K, V, mask=None):\n    return Q @ K.T @ V\n\n\n1 / 0\n",
}


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with `grade` and `python3` in it, as an environment that is activated has them."""
    folder = tmp_path / "programs"
    folder.mkdir()
    grade = f"exec '{sys.executable}' -W error -c \"from grader.cli import main; main(prog_name='grade')\" \"$@\""
    for name, line in (("grade", grade), ("python3", f"exec '{sys.executable}' \"$@\"")):
        (folder / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture
def run(programs: Path, tmp_path: Path) -> Run:
    """Run a command with these programs, little else in its environment, and the checkout to import from."""

    def started(*command: str | Path, cwd: Path = tmp_path, **env: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), **env}
        return subprocess.run(
            [*map(str, command)],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    return started


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def matched(text: str) -> list[tuple[str, int, str, str]]:
    """What VS Code's matcher makes of an output: file, line, severity, message."""
    found = filter(None, (re.search(PROBLEM, line) for line in text.splitlines()))
    return [(each[1], int(each[2]), each[3], each[4]) for each in found]


# ── a workspace ────────────────────────────────────────────────────────────────────────────────────


def test_a_workspace_is_made_without_a_network_and_without_a_question(tmp_path: Path) -> None:
    """With no socket to be had and no standard input, everything is there."""
    script = (
        "import socket\n"
        "def none(*_, **__): raise AssertionError('a socket was asked for')\n"
        "socket.socket = socket.create_connection = none\n"
        "from grader.cli import main; main(['start', 'mine'])"
    )
    command, env = [sys.executable, "-c", script], {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert set(tree(tmp_path / "mine")) == {
        ".gitignore",
        ".vscode/settings.json",
        ".vscode/tasks.json",
        "README.md",
        "exercises/README.md",
        "exercises/attention.py",
        "exercises/causal_mask.py",
        "exercises/softmax.py",
    }


def test_the_page_of_a_workspace_tells_all_and_gives_nothing_away(course: Course, tmp_path: Path) -> None:
    """It names each file, function and points, and only commands there are; its links lead somewhere."""
    start(course, tmp_path / "mine")
    page = (tmp_path / "mine" / "README.md").read_text(encoding="utf-8")
    for exercise in course.exercises:
        path = f"exercises/{exercise.stub.name}"
        assert f"| [{path}]({path}) | `{exercise.function}` | {exercise.points:g} |" in page
    assert set(re.findall(r"`!?grade ([a-z]+)", page)) <= set(main.commands)
    assert all((tmp_path / "mine" / link).exists() for link in re.findall(r"\]\(([^)]+)\)", page))
    assert "<!--" not in page
    assert "$" not in page
    assert max(len(line) for line in page.splitlines()) <= 120


def test_the_page_names_only_what_the_course_has(tiny: Course, tmp_path: Path) -> None:
    """A course without a quiz and experiments has neither on its page."""
    start(tiny, tmp_path / "mine")
    page = (tmp_path / "mine" / "README.md").read_text(encoding="utf-8")
    assert "The Tiny Course" in page
    assert "quiz" not in page
    assert "explore" not in page


def test_the_lines_for_jupyter_run_where_the_page_says(course: Course, tmp_path: Path) -> None:
    """The imports of the page work in a notebook beside it."""
    start(course, tmp_path / "mine")
    page = (tmp_path / "mine" / "README.md").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if line.startswith("from ")]
    assert len(lines) == len(course.exercises)
    command = [sys.executable, "-c", "\n".join(lines)]
    assert subprocess.run(command, cwd=tmp_path / "mine", check=False).returncode == 0


# ── VS Code ────────────────────────────────────────────────────────────────────────────────────────


def test_the_task_of_vs_code_puts_what_failed_on_its_lines(run: Run, tmp_path: Path) -> None:
    """The task, run as it is written, and its matcher: an exception, a slip, a wrong result and a note have lines."""
    assert run("grade", "start", "mine").returncode == 0
    mine = tmp_path / "mine"
    for name, text in WRONG.items():
        (mine / "exercises" / name).write_text(text, encoding="utf-8")
    tasks = json.loads((mine / ".vscode" / "tasks.json").read_text(encoding="utf-8"))["tasks"]
    task = next(each for each in tasks if each.get("group") == {"kind": "build", "isDefault": True})
    assert task["problemMatcher"]["pattern"]["regexp"] == PROBLEM
    done = run(task["command"], *task["args"], cwd=mine, COLUMNS="40")
    assert done.returncode == 1, done.stderr
    places = {(file, line, severity) for file, line, severity, _ in matched(done.stdout)}
    assert {
        ("exercises/softmax.py", 6, "error"),
        ("exercises/causal_mask.py", 4, "error"),
        ("exercises/attention.py", 5, "error"),
        ("exercises/attention.py", 9, "warning"),
    } <= places
    assert all((mine / file).is_file() for file, _, _ in places)
    messages = " ".join(message for *_, message in matched(done.stdout))
    assert "AxisError" in messages
    assert "was never closed" in messages
    assert "\ntotal: " in done.stdout


def test_every_task_of_vs_code_is_a_command_there_is(run: Run, tmp_path: Path) -> None:
    """What the tasks run has a --help, and `grade` is found where it was run from, else wherever the shell finds it."""
    run("grade", "start", "mine")
    tasks = json.loads((tmp_path / "mine" / ".vscode" / "tasks.json").read_text(encoding="utf-8"))["tasks"]
    assert len({task["label"] for task in tasks}) == len(tasks) > 1
    for task in tasks:
        assert task["command"] == "grade"
        assert task["args"][0] in main.commands
        assert task["options"]["env"]["PATH"].endswith(f"{os.pathsep}${{env:PATH}}")


def test_what_goes_to_others_names_nothing_of_this_machine(run: Run, tmp_path: Path) -> None:
    """With --for, no file holds a path of the machine it was made on."""
    for platform in ("github", "gradescope"):
        assert run("grade", "start", platform, "--for", platform).returncode == 0
        for name, data in tree(tmp_path / platform).items():
            assert str(tmp_path).encode() not in data, name
            assert str(Path(sys.executable).parent).encode() not in data, name


CASES = sorted(path for path in (ROOT / "tests" / "submissions").iterdir() if path.is_dir())[::12]


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_what_fails_is_always_on_a_line_there_is(case: Path, course: Course, grade_path: Callable[..., Report]) -> None:
    """Each exercise that has not all points has a problem, in a file of the submission, on a line that it has."""
    report, work = grade_path(case), read_submission(case)
    text = editor.render(report, places(work, course.exercises))
    problems = matched(text)
    lines = {module.file: module.text.count("\n") + 1 for module in work.modules}
    stubs = {exercise.stub.name: 1 for exercise in course.exercises}
    assert all(1 <= line <= (stubs | lines)[file] for file, line, _, _ in problems)
    failed = [each for each in report.exercises if each.score < each.max_score]
    assert len(problems) >= len(failed)
    if not failed and not any(each.notes for each in report.exercises):
        assert text.startswith(report.title)


def test_an_empty_workspace_is_a_list_of_what_to_do(run: Run, tmp_path: Path) -> None:
    """A stub is a warning at its function; what has all its points is no problem at all."""
    run("grade", "start", "mine")
    shutil.copy(ROOT / "solutions" / "softmax.py", tmp_path / "mine" / "exercises")
    problems = matched(run("grade", "--format", "editor", cwd=tmp_path / "mine").stdout)
    assert [(file, severity) for file, _, severity, _ in problems] == [
        ("exercises/causal_mask.py", "warning"),
        ("exercises/attention.py", "warning"),
    ]
    for file, line, _, _ in problems:
        assert (tmp_path / "mine" / file).read_text(encoding="utf-8").splitlines()[line - 1].startswith("def ")


def test_problems_of_a_submission_elsewhere_have_its_path(run: Run, tmp_path: Path) -> None:
    """A file, a folder or a workspace named with --submission: the files can be opened from here."""
    work = tmp_path / "elsewhere" / "exercises"
    work.mkdir(parents=True)
    for name, text in WRONG.items():
        (work / name).write_text(text, encoding="utf-8")
    for path in (work.parent, work, work / "softmax.py"):
        done = run("grade", "run", "softmax", "--format", "editor", "--submission", path)
        assert ("elsewhere/exercises/softmax.py", 6) in {(file, line) for file, line, _, _ in matched(done.stdout)}


# ── starting over ──────────────────────────────────────────────────────────────────────────────────


def test_force_keeps_all_that_was_there(run: Run, tmp_path: Path) -> None:
    """The old work lies beside the new, byte for byte, and is named; .grade/ goes on in the new workspace."""
    run("grade", "start", "mine")
    mine = tmp_path / "mine"
    (mine / "exercises" / "softmax.py").write_text("mine\n", encoding="utf-8")
    (mine / ".hidden").write_bytes(b"\0\1")
    (mine / "link").symlink_to("nowhere")
    run("grade", cwd=mine)
    memory = {name: data for name, data in tree(mine).items() if name.startswith(".grade")}
    before = {name: data for name, data in tree(mine).items() if name not in memory}
    assert memory
    refused = run("grade", "start", "mine")
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    done = run("grade", "start", "mine", "--force")
    assert done.returncode == 0, done.stderr
    aside = next(path for path in tmp_path.iterdir() if path.name.startswith("mine-before-"))
    assert str(aside) in done.stdout
    assert tree(aside) == before
    assert (aside / "link").is_symlink()
    assert {name: data for name, data in tree(mine).items() if name.startswith(".grade")} == memory
    assert "NotImplementedError" in (mine / "exercises" / "softmax.py").read_text(encoding="utf-8")


def test_force_works_from_inside_and_as_often_as_one_likes(run: Run, tmp_path: Path) -> None:
    """`grade start . --force` twice in a day: two folders beside it, neither in the place of the other."""
    run("grade", "start", "mine")
    for _ in range(2):
        assert run("grade", "start", ".", "--force", cwd=tmp_path / "mine").returncode == 0
        assert run("grade", cwd=tmp_path / "mine").returncode == 1
    assert len([path for path in tmp_path.iterdir() if path.name.startswith("mine-before-")]) == 2


def test_force_moves_nothing_where_no_workspace_can_follow(run: Run, tmp_path: Path) -> None:
    """A faulty course, or a platform that cannot be served, is said before anything is touched."""
    run("grade", "start", "mine")
    (tmp_path / "course.yml").write_text("title: 3\n", encoding="utf-8")
    before = tree(tmp_path / "mine")
    tiny = ROOT / "tests" / "courses" / "tiny"
    for more in (["--course", tmp_path], ["--course", tiny, "--for", "github"]):
        assert run("grade", "start", "mine", "--force", *more).returncode == 2
    assert tree(tmp_path / "mine") == before
    assert not list(tmp_path.glob("mine-before-*"))


def test_a_home_folder_is_not_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`grade start ~ --force` would move everything that somebody has."""
    monkeypatch.setenv("HOME", str(tmp_path / "home" / "ada"))
    (tmp_path / "home" / "ada").mkdir(parents=True)
    (tmp_path / "home" / "ada" / "letters").write_text("dear", encoding="utf-8")
    for folder in (tmp_path / "home" / "ada", tmp_path / "home"):
        with pytest.raises(UsageError, match="home folder"):
            set_aside(folder, TODAY)
    assert (tmp_path / "home" / "ada" / "letters").exists()


def test_there_is_nothing_to_set_aside_in_a_fresh_clone(course: Course, tmp_path: Path) -> None:
    """A folder with .git alone is as good as new, with --force or without."""
    (tmp_path / "clone" / ".git").mkdir(parents=True)
    assert set_aside(tmp_path / "clone", TODAY) is None
    assert set_aside(tmp_path / "nowhere", TODAY) is None
    assert start(course, tmp_path / "clone")
    assert set_aside(tmp_path / "clone", TODAY) == tmp_path / "clone-before-2031-04-01"
    assert [path.name for path in (tmp_path / "clone").iterdir()] == [".git"]


# ── what platforms run ─────────────────────────────────────────────────────────────────────────────


def test_the_package_is_installed_by_its_own_name_and_version() -> None:
    """The requirement is the project's, of this very version, and names no place to get it from."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == DISTRIBUTION
    assert set(PLATFORMS) == set(SERVED)
    assert re.fullmatch(rf"{DISTRIBUTION}==\d+\.\d+\.\d+\S*", REQUIREMENT)


@pytest.fixture
def classroom(run: Run, tmp_path: Path) -> Path:
    """A repository as GitHub checks it out."""
    assert run("grade", "start", "repository", "--for", "github").returncode == 0
    return tmp_path / "repository"


def steps(repository: Path) -> list[dict[str, Any]]:
    workflow = yaml.safe_load((repository / WORKFLOW).read_text(encoding="utf-8"))
    assert workflow["name"] == "Autograding Tests"
    assert workflow[True] == ["push", "repository_dispatch"]  # YAML reads `on` as true
    assert workflow["permissions"] == {"checks": "write", "actions": "read", "contents": "read"}
    job = workflow["jobs"]["run-autograding-tests"]
    assert job["if"] == "github.actor != 'github-classroom[bot]'"
    found: list[dict[str, Any]] = job["steps"]
    return found


def graded_step(run: Run, repository: Path, **env: str) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
    """The grading step, run as a runner does, and the outputs it has set."""
    step = next(each for each in steps(repository) if each.get("id") == "grade")
    script, outputs = repository.parent / "step.sh", repository.parent / "outputs"
    script.write_text(step["run"], encoding="utf-8")
    outputs.write_text("", encoding="utf-8")
    shell = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script]  # what `shell: bash` stands for
    assert step["shell"] == "bash"
    done = run(*shell, cwd=repository, GITHUB_OUTPUT=str(outputs), **env)
    found = re.findall(r"^(\w+)<<(\w+)\n(.*?)\n\2\n", outputs.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return done, {name: value for name, _, value in found}


@pytest.mark.parametrize(
    ("solved", "points"), [((), 0), (("softmax",), 30), (("softmax", "causal_mask", "attention"), 100)]
)
def test_the_workflow_reports_the_points(run: Run, classroom: Path, solved: tuple[str, ...], points: float) -> None:
    """Whatever the score, the step ends well and its result adds up to it; nothing is left in the repository."""
    for name in solved:
        shutil.copy(ROOT / "solutions" / f"{name}.py", classroom / "exercises")
    before = tree(classroom)
    done, outputs = graded_step(run, classroom)
    assert done.returncode == 0, done.stderr
    result = json.loads(base64.b64decode(outputs["result"], validate=True))
    assert result["version"] == 3
    assert result["max_score"] == 100
    assert sum(test["score"] for test in result["tests"]) == points
    assert result["status"] == ("pass" if points == 100 else "fail")
    assert tree(classroom) == before


def test_the_workflow_fails_where_there_is_nothing_to_report(run: Run, classroom: Path) -> None:
    """A grader that cannot even begin ends the step with its own status, and sets no result."""
    done, outputs = graded_step(run, classroom, GRADE_COURSE="nowhere")
    assert (done.returncode, outputs) == (2, {})
    done, outputs = graded_step(run, classroom, PATH="/usr/bin:/bin")
    assert (done.returncode, outputs) == (127, {})


def test_the_reporter_reads_the_step_that_grades(classroom: Path) -> None:
    """The runner's id has neither - nor _, its result is handed over under the name that the reporter looks for."""
    found = steps(classroom)
    graded, reporter = next(each for each in found if "id" in each), found[-1]
    assert reporter["uses"] == "classroom-resources/autograding-grading-reporter@v1"
    assert reporter["with"]["runners"] == graded["id"]
    assert graded["id"].isalpha()
    assert reporter["env"] == {f"{graded['id'].upper()}_RESULTS": f"${{{{steps.{graded['id']}.outputs.result}}}}"}
    assert any(f"'{REQUIREMENT}'" in each.get("run", "") for each in found)


def test_the_archive_holds_both_scripts_at_its_root(run: Run, tmp_path: Path) -> None:
    """setup.sh and run_autograder, both executable, with Unix line ends, alike on every day."""
    for name in ("one", "two"):
        run("grade", "start", name, "--for", "gradescope")
    assert (tmp_path / "one" / ARCHIVE).read_bytes() == (tmp_path / "two" / ARCHIVE).read_bytes()
    with zipfile.ZipFile(tmp_path / "one" / ARCHIVE) as archive:
        assert archive.namelist() == ["setup.sh", "run_autograder"]
        for info in archive.infolist():
            assert info.external_attr >> 16 & 0o777 == 0o755
            script = archive.read(info)
            assert script.startswith(b"#!/usr/bin/env bash\n")
            assert b"\r" not in script
    assert run("grade", "run", "softmax", cwd=tmp_path / "one").returncode == 1  # the zip is no part of the work


def test_the_autograder_grades_from_an_empty_root(run: Run, wheel: Path, tmp_path: Path) -> None:
    """Built and run as the platform does, with its files alone: full marks, part of them, and no zero of our own."""
    run("grade", "start", "homework", "--for", "gradescope")
    root = tmp_path / "autograder"
    for name in ("source", "submission", "results"):
        (root / name).mkdir(parents=True)
    with zipfile.ZipFile(tmp_path / "homework" / ARCHIVE) as archive:
        archive.extractall(root / "source")
    shutil.copy(root / "source" / "run_autograder", root / "run_autograder")
    (root / "run_autograder").chmod(0o755)
    (root / "submission_metadata.json").write_text("{}", encoding="utf-8")
    shared = {"AUTOGRADER_ROOT": str(root), "PYTHONPATH": ""}
    pip = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheel.parent), "PIP_NO_DEPS": "1"}
    # What the wheel requires is here already, and lent to the new environment: to all in it but pip, which would find
    # this project installed, and from then on to all.
    here = [path for path in sys.path if path.endswith("site-packages")]
    (tmp_path / "lent").mkdir()
    lend = f"import sys\nif 'pip' not in sys.orig_argv: sys.path += {here}\n"
    (tmp_path / "lent" / "sitecustomize.py").write_text(lend, encoding="utf-8")
    pip["PYTHONPATH"] = str(tmp_path / "lent")
    built = run("bash", root / "source" / "setup.sh", cwd=root, **shared | pip)
    assert built.returncode == 0, built.stderr
    site = next((root / "venv").glob("lib/python*/site-packages"))
    (site / "lent.pth").write_text("\n".join(here), encoding="utf-8")

    def results(**env: str) -> tuple[int, dict[str, Any] | None]:
        done = run(root / "run_autograder", cwd=root, **shared, **env)
        file = root / "results" / "results.json"
        return done.returncode, json.loads(file.read_text(encoding="utf-8")) if file.exists() else None

    shutil.copy(ROOT / "solutions" / "softmax.py", root / "submission")
    status, part = results()
    assert (status, part and part["score"]) == (0, 30)
    assert part
    assert sum(test["max_score"] for test in part["tests"]) == 100
    shutil.copytree(ROOT / "solutions", root / "submission" / "exercises")
    status, full = results()
    assert (status, full and full["score"]) == (0, 100)
    assert results(GRADE_COURSE="nowhere") == (2, None)


def test_set_up_says_what_it_needs_where_no_python_is_new_enough(run: Run, tmp_path: Path) -> None:
    """An old base image is told apart from a broken archive."""
    run("grade", "start", "homework", "--for", "gradescope")
    with zipfile.ZipFile(tmp_path / "homework" / ARCHIVE) as archive:
        archive.extractall(tmp_path / "source")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "apt-get").write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    (tools / "apt-get").chmod(0o755)
    done = run(shutil.which("bash") or "bash", tmp_path / "source" / "setup.sh", PATH=str(tools))
    assert done.returncode == 1
    assert "Python 3.11 or newer" in done.stderr
