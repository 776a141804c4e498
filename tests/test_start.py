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
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader import __version__
from grader.cli import main
from grader.cli.start import DISTRIBUTION, PLATFORMS
from grader.continuous import ARCHIVE, WORKFLOW, Grader
from grader.continuous import PLATFORMS as SERVED
from grader.course import Course, load_course
from grader.errors import CourseError, UsageError
from grader.places import places
from grader.render import editor
from grader.render.editor import PROBLEM
from grader.report import Report
from grader.submission import read_submission
from grader.workspace import fill, start, start_over

Run = Callable[..., subprocess.CompletedProcess[str]]
ROOT = Path(__file__).parents[1]
TODAY = date(2031, 4, 1)
GRADER = Grader(DISTRIBUTION, __version__)
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
    listed = {line.strip() for line in done.stdout.decode().split("\n") if line.startswith("  mine")}
    made = {name for name in tree(tmp_path / "mine") if not name.startswith(".vscode/")} | {".vscode"}
    assert listed == {f"mine/{name}" for name in made}
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


@pytest.mark.tool("bash")
@pytest.mark.parametrize("name", ["-dash", "-", "a b", "it's", "~x", "$HOME", "n\nl", "t\udce9'\\", "\udcc3a", "é"])
def test_the_way_into_a_workspace_can_be_pasted(run: Run, tmp_path: Path, name: str) -> None:
    """Whatever bytes its name has, and to a terminal that takes nothing but UTF-8."""
    done = run("grade", "start", "--", name, PYTHONIOENCODING="utf-8:strict")
    assert done.returncode == 0, done.stderr
    way = done.stdout.partition("then run:\n")[2].removesuffix("  grade\n")
    pasted = run("bash", "-c", f'{way}\ntest . -ef "$0"', (tmp_path / name).resolve())
    assert pasted.returncode == 0, (way, pasted.stderr)


def test_a_course_whose_path_no_settings_can_hold_is_refused(run: Run, tmp_path: Path) -> None:
    """In words, and before anything is written."""
    shutil.copytree(ROOT / "tests" / "courses" / "tiny", tmp_path / "t\udce9")
    done = run("grade", "start", "mine", "--course", "t\udce9")
    assert done.returncode == 2
    assert "not UTF-8" in done.stderr
    assert "Rename" in done.stderr
    assert not (tmp_path / "mine").exists()


def test_a_python_whose_path_no_settings_can_hold_is_left_out(run: Run, programs: Path, tmp_path: Path) -> None:
    """A workspace is made all the same: VS Code then looks for `grade` as the shell does."""
    (tmp_path / "v\udce9").symlink_to(Path(sys.executable).parents[1])
    python = tmp_path / "v\udce9" / "bin" / Path(sys.executable).name
    done = run(python, "-c", "from grader.cli import main; main(['start', 'mine'])")
    assert done.returncode == 0, done.stderr
    settings = json.loads((tmp_path / "mine" / ".vscode" / "settings.json").read_text(encoding="utf-8"))
    assert "python.defaultInterpreterPath" not in settings


@pytest.mark.parametrize("name", ["x" * 300, "file", "file/mine", "loop"])
def test_a_place_where_no_folder_can_be_is_said(run: Run, tmp_path: Path, name: str) -> None:
    """With --force or without: not a fault of the grader's own."""
    (tmp_path / "file").write_text("here", encoding="utf-8")
    (tmp_path / "loop").symlink_to("loop")
    for more in ([], ["--force"]):
        done = run("grade", "start", name, *more)
        assert done.returncode == 2
        assert "itself failed" not in done.stderr
    assert (tmp_path / "file").read_text(encoding="utf-8") == "here"


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


def test_what_a_single_file_lacks_is_a_problem_of_that_file(run: Run, tmp_path: Path) -> None:
    """No editor can open a file that there is not."""
    (tmp_path / "gus.py").write_text("import numpy\n\n\ndef softmax(x, axis=-1):\n    return x\n", encoding="utf-8")
    done = run("grade", "run", "--format", "editor", "--submission", tmp_path / "gus.py")
    assert {(file, line) for file, line, _, _ in matched(done.stdout)} == {("gus.py", 1), ("gus.py", 4)}


# ── starting over ──────────────────────────────────────────────────────────────────────────────────


def test_force_keeps_all_that_was_there(run: Run, tmp_path: Path) -> None:
    """What would be written over lies beside the new, byte for byte, and is named; all else is where it was."""
    run("grade", "start", "mine")
    mine = tmp_path / "mine"
    (mine / "exercises" / "softmax.py").write_text("mine\n", encoding="utf-8")
    ours = tree(mine)
    (mine / ".hidden").write_bytes(b"\0\1")
    (mine / "exercises" / "scratch.py").write_text("1\n", encoding="utf-8")
    (mine / "link").symlink_to("nowhere")
    run("grade", cwd=mine)
    others = {name: data for name, data in tree(mine).items() if name not in ours}
    assert {name.partition("/")[0] for name in others} == {".hidden", "exercises", ".grade"}
    refused = run("grade", "start", "mine")
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    done = run("grade", "start", "mine", "--force")
    assert done.returncode == 0, done.stderr
    aside = next(path for path in tmp_path.iterdir() if path.name.startswith("mine-before-"))
    assert str(aside) in done.stdout
    assert tree(aside) == ours
    assert (mine / "link").is_symlink()
    assert {name: data for name, data in tree(mine).items() if name not in ours} == others
    assert "NotImplementedError" in (mine / "exercises" / "softmax.py").read_text(encoding="utf-8")


def test_force_leaves_a_folder_of_others_alone(run: Run, tmp_path: Path) -> None:
    """What `start` does not write is not moved, wherever somebody uses it; a course or a grader in there is none."""
    shutil.copytree(ROOT / "tests" / "courses" / "tiny", tmp_path / "srv" / "course")
    (tmp_path / "srv" / "data").mkdir()
    (tmp_path / "srv" / "data" / "letters").write_text("dear", encoding="utf-8")
    before = tree(tmp_path / "srv")
    for folder, cwd in (("srv", tmp_path), (".", tmp_path / "srv")):
        done = run("grade", "start", folder, "--force", "--course", tmp_path / "srv" / "course", cwd=cwd)
        assert done.returncode == 0, done.stderr
        assert tree(tmp_path / "srv").items() >= before.items()
    assert len(list(tmp_path.glob("srv-before-*"))) == 1


def test_force_moves_links_and_writes_through_none(course: Course, tmp_path: Path) -> None:
    """A folder that leads elsewhere, a link to nowhere, a file for a folder, a folder for a file: each moves whole."""
    mine, shared = tmp_path / "mine", tmp_path / "shared"
    shared.mkdir()
    (shared / "softmax.py").write_text("theirs", encoding="utf-8")
    (mine / "README.md").mkdir(parents=True)
    (mine / "README.md" / "inside").write_text("kept", encoding="utf-8")
    (mine / "exercises").symlink_to(shared)
    (mine / ".gitignore").symlink_to("nowhere")
    (mine / ".vscode").write_text("a file", encoding="utf-8")
    _, aside = start_over(course, mine, TODAY, {".vscode/settings.json": "{}"})
    assert aside == tmp_path / "mine-before-2031-04-01"
    assert tree(shared) == {"softmax.py": b"theirs"}
    assert not (mine / "exercises").is_symlink()
    assert tree(aside) == {".vscode": b"a file", "README.md/inside": b"kept"}
    assert (aside / "exercises").readlink() == shared
    assert str((aside / ".gitignore").readlink()) == "nowhere"


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


def test_force_moves_no_course_and_no_grader(tmp_path: Path) -> None:
    """In a course's own folder, where its stubs lie, or where something the grader needs has the name of a file."""
    shutil.copytree(ROOT / "tests" / "courses" / "tiny", tmp_path / "own")
    (tmp_path / "own" / "stubs").rename(tmp_path / "exercises")
    (tmp_path / "own" / "stubs").symlink_to("../exercises")
    shutil.copytree(ROOT / "tests" / "courses" / "tiny", tmp_path / "odd" / "README.md" / "course")
    before = tree(tmp_path)
    own, odd = load_course(tmp_path / "own"), load_course(tmp_path / "odd" / "README.md" / "course")
    for course, folder in ((own, tmp_path / "own"), (own, tmp_path), (odd, tmp_path / "odd")):
        with pytest.raises(UsageError, match="would be moved"):
            start_over(course, folder, TODAY)
    assert tree(tmp_path) == before


def test_a_home_folder_is_not_started_over_in(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slip such as `grade start ~ --force` is no wish."""
    monkeypatch.setenv("HOME", str(tmp_path / "home" / "ada"))
    (tmp_path / "home" / "ada").mkdir(parents=True)
    for folder in (tmp_path / "home" / "ada", tmp_path / "home", Path("/")):
        with pytest.raises(UsageError, match="home folder"):
            start_over(tiny, folder, TODAY)
    assert not tree(tmp_path)


def test_there_is_nothing_to_set_aside_in_a_fresh_clone(course: Course, tmp_path: Path) -> None:
    """A folder with .git alone is as good as new, with --force or without."""
    (tmp_path / "clone" / ".git").mkdir(parents=True)
    (tmp_path / "other" / ".git").mkdir(parents=True)
    assert start_over(course, tmp_path / "clone", TODAY)[1] is None
    assert start_over(course, tmp_path / "nowhere", TODAY)[1] is None
    assert start(course, tmp_path / "other")
    assert start_over(course, tmp_path / "clone", TODAY)[1] == tmp_path / "clone-before-2031-04-01"


# ── all of it, or nothing ──────────────────────────────────────────────────────────────────────────


@pytest.fixture
def mount() -> Iterator[Callable[[Path, str], Path]]:
    """Mount a disk of its own at a folder, of a size."""
    places: list[Path] = []

    def mounted(place: Path, size: str) -> Path:
        place.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode:
            pytest.skip(f"no disk can be mounted here: {done.stderr.decode().strip()}")
        places.append(place)
        return place

    yield mounted
    for place in reversed(places):
        subprocess.run(["umount", place], check=False, capture_output=True)


Mount = Callable[[Path, str], Path]


def everything(folder: Path) -> dict[str, bytes | None]:
    return dict.fromkeys(str(path.relative_to(folder)) for path in folder.rglob("*")) | tree(folder)


@pytest.mark.tool("mount")
@pytest.mark.parametrize("kilobytes", [4, 12, 20, 36])
def test_on_a_full_disk_all_is_as_it_was(run: Run, mount: Mount, tmp_path: Path, kilobytes: int) -> None:
    """However far it came, for a new workspace and for one to start over in; with room, the same command goes well."""
    disk = mount(tmp_path / "disk", "160k")
    assert run("grade", "start", "mine", cwd=disk).returncode == 0
    room = os.statvfs(disk).f_bavail * os.statvfs(disk).f_bsize - kilobytes * 1024
    (disk / "ballast").write_bytes(bytes(room))
    before = everything(disk)
    for command in (["mine", "--force"], ["new"]):
        done = run("grade", "start", *command, cwd=disk)
        assert done.returncode == 2
        assert "No space left" in done.stderr
        assert "Everything is as it was." in done.stderr
        assert everything(disk) == before
    (disk / "ballast").unlink()
    assert run("grade", "start", "mine", "--force", cwd=disk).returncode == 0


@pytest.mark.tool("mount")
def test_a_folder_on_a_disk_of_its_own_is_started_over(run: Run, mount: Mount, tmp_path: Path) -> None:
    """What is beside it is on another disk: where that is full, nothing is lost nor left there."""
    outer = mount(tmp_path / "outer", "32k")
    mount(outer / "mine", "1m")
    run("grade", "start", "mine", cwd=outer)
    before = everything(outer)
    done = run("grade", "start", "mine", "--force", cwd=outer)
    assert (done.returncode, "Everything is as it was." in done.stderr) == (2, True), done.stderr
    assert everything(outer) == before
    subprocess.run(["mount", "-o", "remount,size=1m", outer], check=True)
    assert run("grade", "start", "mine", "--force", cwd=outer).returncode == 0
    aside = next(outer.glob("mine-before-*"))
    assert tree(aside) == {name.removeprefix("mine/"): data for name, data in before.items() if data is not None}


def test_what_cannot_be_put_back_is_said(tiny: Course, tmp_path: Path) -> None:
    """An editor that saves at the wrong moment keeps its file, and the old one is named."""
    start(tiny, tmp_path / "mine")
    page = tmp_path / "mine" / "README.md"
    old = page.read_bytes()

    class Saves(str):
        __slots__ = ()

        def encode(self, *_: Any, **__: Any) -> bytes:
            page.write_text("saved", encoding="utf-8")
            return b""

    with pytest.raises(UsageError) as caught:
        start_over(tiny, tmp_path / "mine", TODAY, {".gitignore": Saves()})
    aside = tmp_path / "mine-before-2031-04-01" / "README.md"
    assert page.read_text(encoding="utf-8") == "saved"
    assert aside.read_bytes() == old
    assert f"What was {page} is now {aside}." in str(caught.value)
    assert "as it was" not in str(caught.value)


def test_ctrl_c_leaves_no_half_workspace(tmp_path: Path) -> None:
    """Nor the folders it would have lain in."""

    class Interrupted(dict[str, str]):
        def items(self) -> Any:
            yield "exercises/a.py", "1\n"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fill(tmp_path / "a" / "b", Interrupted({"exercises/a.py": "1\n"}))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("fault", ["text", "gone"])
def test_a_course_that_cannot_be_read_changes_nothing(tmp_path: Path, fault: str) -> None:
    """All of it is read before anything is moved."""
    shutil.copytree(ROOT / "tests" / "courses" / "tiny", tmp_path / "tiny")
    course = load_course(tmp_path / "tiny")
    start(course, tmp_path / "mine")
    course.lesson.write_bytes(b"\xff") if fault == "text" else course.exercises[0].stub.unlink()
    before = tree(tmp_path)
    for change in (lambda: start_over(course, tmp_path / "mine", TODAY), lambda: start(course, tmp_path / "new")):
        with pytest.raises(CourseError):
            change()
    assert tree(tmp_path) == before


# ── what platforms run ─────────────────────────────────────────────────────────────────────────────


def test_the_package_is_installed_by_its_own_name_and_version() -> None:
    """The requirement is the project's, of this very version, and names no place to get it from."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == DISTRIBUTION
    assert set(PLATFORMS) == set(SERVED)
    assert re.fullmatch(rf"{DISTRIBUTION}==\d+\.\d+\.\d+\S*", GRADER.requirement)


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
    assert any(f"'{GRADER.requirement}'" in each.get("run", "") for each in found)


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


# ── with which grader ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """An index on which a stranger has published this name and version, with a tag that pip likes better than ours."""
    folder = tmp_path / "index"
    folder.mkdir()
    tag = f"py{sys.version_info.major}{sys.version_info.minor}-none-any"
    about = f"{GRADER.stem}.dist-info"
    files = {
        "strange.py": "def main():\n    print('a stranger grades')\n",
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {DISTRIBUTION}\nVersion: {__version__}\n",
        f"{about}/WHEEL": f"Wheel-Version: 1.0\nGenerator: a stranger\nRoot-Is-Purelib: true\nTag: {tag}\n",
        f"{about}/entry_points.txt": "[console_scripts]\ngrade = strange:main\n",
        f"{about}/RECORD": "",
    }
    with zipfile.ZipFile(folder / f"{GRADER.stem}-{tag}.whl", "w") as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return folder


@pytest.fixture
def lent(tmp_path: Path) -> dict[str, str]:
    """Variables with which pip installs without a network.

    What the wheel requires is here already, and lent to new environments: to all in it but pip, which would find this
    project installed.
    """
    here = [path for path in sys.path if path.endswith("site-packages")]
    (tmp_path / "lent").mkdir()
    lend = f"import sys\nif 'pip' not in sys.orig_argv: sys.path += {here}\n"
    (tmp_path / "lent" / "sitecustomize.py").write_text(lend, encoding="utf-8")
    return {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PYTHONPATH": str(tmp_path / "lent")}


@pytest.fixture
def autograder(tmp_path: Path) -> Path:
    """The root that Gradescope gives."""
    root = tmp_path / "autograder"
    for name in ("source", "submission", "results"):
        (root / name).mkdir(parents=True)
    (root / "submission_metadata.json").write_text("{}", encoding="utf-8")
    return root


@pytest.fixture
def set_up(run: Run, autograder: Path, lent: dict[str, str], tmp_path: Path) -> Run:
    """Unpack the archive of a workspace, add files to it, and run its setup.sh."""

    def done(*more: Path, **env: str) -> subprocess.CompletedProcess[str]:
        with zipfile.ZipFile(tmp_path / "homework" / ARCHIVE) as archive:
            archive.extractall(autograder / "source")
        for path in more:
            shutil.copy(path, autograder / "source")
        script = autograder / "source" / "setup.sh"
        return run("bash", script, cwd=autograder, AUTOGRADER_ROOT=str(autograder), **lent | env)

    return done


def test_the_autograder_grades_from_an_empty_root(
    run: Run, set_up: Run, autograder: Path, index: Path, lent: dict[str, str], wheel: Path
) -> None:
    """Built and run as the platform does, with its files alone: full marks, part of them, and no zero of our own.

    What grades is the teacher's wheel, whatever lies on the index.
    """
    assert run("grade", "start", "homework", "--for", "gradescope", "--wheel", wheel).returncode == 0
    built = set_up(PIP_FIND_LINKS=str(index))
    assert (built.returncode, built.stdout) == (0, f"grade, version {__version__}\n"), built.stderr
    shutil.copy(autograder / "source" / "run_autograder", autograder / "run_autograder")
    (autograder / "run_autograder").chmod(0o755)
    site = next((autograder / "venv").glob("lib/python*/site-packages"))
    here = [path for path in sys.path if path.endswith("site-packages")]
    (site / "lent.pth").write_text("\n".join(here), encoding="utf-8")

    def results(**env: str) -> tuple[int, dict[str, Any] | None]:
        shared = {"AUTOGRADER_ROOT": str(autograder), "PYTHONPATH": ""}
        done = run(autograder / "run_autograder", cwd=autograder, **shared, **env)
        file = autograder / "results" / "results.json"
        return done.returncode, json.loads(file.read_text(encoding="utf-8")) if file.exists() else None

    shutil.copy(ROOT / "solutions" / "softmax.py", autograder / "submission")
    status, part = results()
    assert (status, part and part["score"]) == (0, 30)
    assert part
    assert sum(test["max_score"] for test in part["tests"]) == 100
    shutil.copytree(ROOT / "solutions", autograder / "submission" / "exercises")
    status, full = results()
    assert (status, full and full["score"]) == (0, 100)
    assert results(GRADE_COURSE="nowhere") == (2, None)


def test_the_autograder_installs_no_wheel_but_its_own(
    run: Run, set_up: Run, autograder: Path, wheel: Path, index: Path
) -> None:
    """One that was changed, or is gone, ends the set-up: no other takes its place."""
    run("grade", "start", "homework", "--for", "gradescope", "--wheel", wheel)
    (autograder.parent / wheel.name).write_bytes(wheel.read_bytes() + b"\0")
    changed = set_up(autograder.parent / wheel.name, next(index.iterdir()), PIP_FIND_LINKS=str(index))
    (autograder / "source" / wheel.name).unlink()
    gone = run("bash", autograder / "source" / "setup.sh", AUTOGRADER_ROOT=str(autograder), PIP_NO_INDEX="1")
    for done in (changed, gone):
        assert done.returncode != 0
        assert wheel.name in done.stdout + done.stderr
    assert not (autograder / "venv").exists()


def test_a_wheel_that_was_put_into_the_archive_is_installed_by_its_path(
    run: Run, set_up: Run, wheel: Path, index: Path
) -> None:
    """By hand, beside setup.sh: the index is not asked for another of that name."""
    run("grade", "start", "homework", "--for", "gradescope")
    (index / "zlib_of_others-1-py3-none-any.whl").write_bytes(b"")
    built = set_up(wheel, index / "zlib_of_others-1-py3-none-any.whl", PIP_FIND_LINKS=str(index))
    assert (built.returncode, built.stdout) == (0, f"grade, version {__version__}\n"), built.stderr


def test_without_a_wheel_the_package_comes_from_the_index(run: Run, set_up: Run, wheel: Path, tmp_path: Path) -> None:
    """By its name, from whoever has published it: which the command says, and what it writes; nobody has, it fails."""
    done = run("grade", "start", "homework", "--for", "gradescope", "--for", "github")
    assert set_up().returncode == 1
    made = tmp_path / "homework" / WORKFLOW, tmp_path / "autograder" / "source" / "setup.sh"
    for text in (done.stdout, *(path.read_text(encoding="utf-8") for path in made)):
        assert "index by" in text
        assert "decides what grades" in text
        assert "--wheel" in text
    assert set_up(PIP_FIND_LINKS=str(wheel.parent)).returncode == 0


def test_the_workflow_installs_the_wheel_beside_it(
    run: Run, tmp_path: Path, wheel: Path, index: Path, lent: dict[str, str]
) -> None:
    """The teacher's, whatever lies on the index, and only if it was not changed; the grading step then runs it."""
    repository = tmp_path / "repository"
    assert run("grade", "start", "repository", "--for", "github", "--wheel", wheel).returncode == 0
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "runner"], check=True)
    env = lent | {"PATH": f"{tmp_path / 'runner' / 'bin'}:/usr/bin:/bin", "PIP_FIND_LINKS": str(index)}
    script = tmp_path / "install.sh"
    script.write_text(next(each["run"] for each in steps(repository) if "pip" in each.get("run", "")), encoding="utf-8")
    beside = repository / ".github" / wheel.name
    beside.write_bytes(wheel.read_bytes() + b"\0")
    assert run("bash", "-e", script, cwd=repository, **env).returncode != 0
    assert not (tmp_path / "runner" / "bin" / "grade").exists()
    beside.write_bytes(wheel.read_bytes())
    done = run("bash", "-e", script, cwd=repository, **env)
    assert done.returncode == 0, done.stderr
    shutil.copy(ROOT / "solutions" / "softmax.py", repository / "exercises")
    graded, outputs = graded_step(run, repository, **env)
    assert graded.returncode == 0, graded.stderr
    result = json.loads(base64.b64decode(outputs["result"], validate=True))
    assert sum(test["score"] for test in result["tests"]) == 30


def test_what_is_no_wheel_of_ours_is_refused(run: Run, tmp_path: Path, wheel: Path) -> None:
    """A file that is none, one of another name or version, one that is not there, one that goes nowhere."""
    (tmp_path / wheel.name).write_text("no wheel", encoding="utf-8")
    shutil.copy(wheel, tmp_path / "renamed.whl")
    shutil.copy(wheel, tmp_path / f"{GRADER.stem}-py3-none-any';id.whl")
    other = tmp_path / wheel.name.replace(__version__, "9.9.9")
    shutil.copy(wheel, other)
    named = [wheel.name, "renamed.whl", f"{GRADER.stem}-py3-none-any';id.whl", other, "nowhere.whl", tmp_path]
    for more in [*(("--for", "github", "--wheel", each) for each in named), ("--wheel", wheel)]:
        done = run("grade", "start", "homework", *more)
        assert (done.returncode, "itself failed" in done.stderr) == (2, False), more
        assert not (tmp_path / "homework").exists()
    assert "pip wheel --no-deps ." in run("grade", "start", "homework", "--for", "github", "--wheel", other).stderr


def test_both_platforms_at_once(run: Run, tmp_path: Path, wheel: Path) -> None:
    """Both have their files; the page tells of both, and git leaves out what is the teacher's alone."""
    more = ["--for", "github", "--for", "gradescope", "--for", "github", "--wheel", wheel]
    done = run("grade", "start", "homework", *more)
    made = tree(tmp_path / "homework")
    assert {WORKFLOW, ARCHIVE, f".github/{wheel.name}"} <= set(made)
    assert done.stdout.count("Push homework") == done.stdout.count("Upload homework") == 1
    assert f"/{ARCHIVE}\n".encode() in made[".gitignore"]
    page = made["README.md"].decode()
    for words in ("On GitHub", "push", "On Gradescope", "upload"):
        assert words in page
    assert not any(b"@INSTALL@" in data or b"@WHEEL@" in data or b"@SHA256@" in data for data in made.values())
    run("grade", "start", "mine")
    assert "On GitHub" not in (tmp_path / "mine" / "README.md").read_text(encoding="utf-8")


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
