"""The command: exit statuses, formats, errors with a remedy, and files that are written whole."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from grader.cli import main
from tests.terminal import Emulated

Run = Callable[..., subprocess.CompletedProcess[str]]
GRADE = [sys.executable, "-W", "error", "-c", "from grader.cli import main; main(prog_name='grade')"]


@pytest.fixture
def run(root: Path) -> Run:
    """Run `grade` as a program, from the checkout unless told otherwise."""

    def started(*args: str | Path, cwd: Path = root, **env: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "GRADE_COURSE")}
        environment |= {"PYTHONPATH": str(root), "COLUMNS": "80", **env}
        command = [*GRADE, *map(str, args)]
        return subprocess.run(
            command,
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            check=False,
        )

    return started


@pytest.fixture
def workspace(run: Run, tmp_path: Path) -> Path:
    assert run("start", tmp_path / "mine").returncode == 0
    return tmp_path / "mine"


def test_a_fresh_workspace_scores_nothing_and_says_what_to_do(run: Run, workspace: Path) -> None:
    """`grade` alone in a fresh workspace: 0 of 100, three stubs, the file to open, exit status 1."""
    done = run(cwd=workspace)
    assert done.returncode == 1
    assert "total: 0 of 100" in done.stdout
    assert done.stdout.count("not implemented") == 3
    assert "Open exercises/softmax.py" in " ".join(done.stdout.split())
    assert not done.stderr


def test_the_solutions_score_everything(run: Run) -> None:
    """`grade run --submission solutions`: 100 of 100, exit status 0."""
    done = run("run", "--submission", "solutions")
    assert done.returncode == 0
    assert "total: 100 of 100" in done.stdout


def test_options_without_a_command_belong_to_run(run: Run) -> None:
    """`grade --submission PATH` is `grade run --submission PATH`."""
    assert run("--submission", "solutions", "--format", "plain").returncode == 0


def test_json_keeps_to_the_schema(run: Run, root: Path) -> None:
    """`--format json` validates against the schema in the repository."""
    import jsonschema

    schema = json.loads((root / "grader" / "report.schema.json").read_text(encoding="utf-8"))
    for submission in ("solutions", "exercises"):
        report = json.loads(run("run", "--submission", submission, "--format", "json").stdout)
        jsonschema.Draft202012Validator(schema).validate(report)


UNSCALED = """
import numpy as np

def attention(Q, K, V, mask=None):
    scores = Q @ K.T
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ V
"""


def test_maps_are_there_where_they_are_asked_for(run: Run, root: Path, tmp_path: Path) -> None:
    """`--maps` adds them to JSON, which keeps to its schema, and to plain words; `--format html` always has them."""
    import jsonschema

    work = tmp_path / "attention.py"
    work.write_text(UNSCALED, encoding="utf-8")
    asked = ("run", "attention", "--submission", work)
    with_maps, without = (json.loads(run(*asked, "--format", "json", *more).stdout) for more in (("--maps",), ()))
    schema = json.loads((root / "grader" / "report.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(with_maps)
    maps = with_maps["exercises"][0].pop("maps")
    assert with_maps == without
    assert [each["title"] for each in maps] == ["attention weights", "attention weights, with a causal mask"]
    assert len(maps[0]["yours"]) == len(maps[0]["right"]) == 5
    assert "Map: attention weights" in run(*asked, "--maps", "--format", "plain").stdout
    assert "Map: " not in run(*asked, "--format", "plain").stdout
    assert run(*asked, "--format", "html").stdout.count("<caption ") == 6


def test_a_page_is_a_file_that_ends_in_html(run: Run, workspace: Path) -> None:
    """`--output report.html` is a whole page, of an untouched workspace as well, and the terminal says the points."""
    done = run("--output", "report.html", cwd=workspace)
    assert done.returncode == 1
    assert not done.stdout
    assert "0 of 100 points; the report is in report.html" in done.stderr
    page = (workspace / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>\n")
    assert page.count("not implemented") == 3


def test_no_map_is_said_and_no_room_for_one_refused(run: Run, root: Path) -> None:
    """Where all is right `--maps` says that there is nothing to show; a format without room for maps is an error."""
    done = run("run", "--submission", "solutions", "--maps")
    assert done.returncode == 0
    assert "there is no map to show" in done.stderr
    assert "no map" not in run("run", "--submission", "solutions", "--format", "html").stderr
    refused = run("run", "--submission", "solutions", "--maps", "--format", "junit")
    assert refused.returncode == 2
    assert all(word in refused.stderr for word in ("--maps", "junit", "rich, plain, json, html"))


def test_one_exercise_has_its_own_pass_mark(run: Run, workspace: Path, root: Path) -> None:
    """`grade run softmax` reports softmax alone, and exit status 0 means its 30 points."""
    (workspace / "exercises" / "softmax.py").write_text((root / "solutions" / "softmax.py").read_text())
    assert run("run", "softmax", cwd=workspace).returncode == 0
    assert run("run", cwd=workspace).returncode == 1
    assert run("run", "--pass-mark", "30", cwd=workspace).returncode == 0
    assert run("run", "--pass-mark", "30.5", cwd=workspace).returncode == 1
    assert run("run", "softmax", "softmax", "--format", "json", cwd=workspace).stdout.count('"name": "softmax"') == 1


def test_grade_finds_the_workspace_from_inside(run: Run, workspace: Path) -> None:
    """Inside exercises/ it finds the workspace above."""
    assert "total: 0 of 100" in run(cwd=workspace / "exercises").stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([], ["no exercises/ folder", "grade start"]),
        (["run", "--submission", "nowhere"], ["nowhere", "no such file"]),
        (["run", "sofmax", "--submission", "."], ["no exercise 'sofmax'", "Did you mean 'softmax'"]),
        (["hnit"], ["no command or exercise 'hnit'", "Did you mean 'hint'?", "The commands are: ", "explore"]),
        (["--seed", "1", "hints"], ["no command or exercise 'hints'", "Did you mean 'hint'?", "The commands are: "]),
        (["sofmax", "--submission", "."], ["no command or exercise 'sofmax'", "'softmax'?", "The exercises are: "]),
        (["xyz", "--submission", "."], ["command or exercise 'xyz'", "The exercises are: ", "`grade --help` lists"]),
        (["softmax", "strat", "--submission", "."], ["no exercise 'strat'\n  The exercises are: "]),
        (["watch", "strat"], ["no exercise 'strat'\n  The exercises are: "]),
        (["run", "softmax", "--pass-mark", "31", "--submission", "."], ["--pass-mark", "31", "30 points"]),
        (["run", "--pass-mark", "200", "--submission", "."], ["--pass-mark", "200", "100 points"]),
        (["run", "--pass-mark", "-1", "--submission", "."], ["--pass-mark", "-1"]),
        (["run", "--format", "pdf"], ["pdf", "json"]),
        (["run", "--seed", "-1"], ["seed"]),
        (["run", "--course", "nowhere"], ["course", "--course"]),
        (["hint", "nothing", "--submission", "."], ["no exercise 'nothing'"]),
        (["start"], ["FOLDER"]),
    ],
)
def test_usage_errors_are_kind_and_end_with_status_2(
    run: Run, tmp_path: Path, args: list[str], words: list[str]
) -> None:
    """What was wrong, and the remedy, on stderr; nothing on stdout."""
    done = run(*args, cwd=tmp_path)
    assert done.returncode == 2
    assert not done.stdout
    assert all(word.lower() in done.stderr.lower() for word in words), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("command", "helps"),
    [
        ([], "`grade run --submission PATH`"),
        (["softmax"], "`grade run softmax --submission PATH`"),
        (["hint"], "`grade hint --submission PATH`"),
        (["solution", "softmax"], "`grade solution softmax --submission PATH`"),
        (["explore", "scaling"], "`grade explore scaling --submission PATH`"),
        (["progress"], ""),
        (["watch"], ""),
    ],
)
def test_outside_of_a_workspace_each_command_says_what_helps_there(
    run: Run, tmp_path: Path, command: list[str], helps: str
) -> None:
    """A workspace always; one's work by --submission where that command takes one, and in that command's words."""
    done = run(*command, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Change into your workspace" in done.stderr
    assert "`grade start my-work`" in done.stderr
    assert helps in done.stderr
    assert ("--submission" in done.stderr) == bool(helps)


TOLD = [
    ["progress"],
    ["explore", "scaling"],
    ["strat"],
    ["run", "--submission", "nowhere"],
    ["--course", "faulty"],
    ["quiz", "--format", "html"],
    ["start", "new"],
    ["start", "new", "--for", "github", "--for", "gradescope"],
    ["start", "used", "--force"],
    ["solution", "softmax", "--submission", "used"],
    ["run", "--submission", "used", "--output", "report.html"],
    ["verify", "--course", "faults"],
    ["run", "--format", "pdf"],
]


@pytest.mark.parametrize("columns", [50, 80])
@pytest.mark.parametrize("command", TOLD, ids=" ".join)
def test_no_message_breaks_inside_a_word(
    run: Run, root: Path, tmp_path: Path, command: list[str], columns: int
) -> None:
    """On a terminal messages break at words; what is longer than a line is left for the terminal to go on with."""
    here = _in_use(root, tmp_path / "piped")
    done = run(*command, cwd=here, COLUMNS="1000")
    shown = Emulated(
        [*GRADE, *command], _in_use(root, tmp_path / "shown"), columns=columns, lines=90, PYTHONPATH=str(root)
    )
    shown.end()
    words = {word for word in (done.stdout + done.stderr).split() if str(here) not in word}
    assert {word for word in words if len(word) < columns - 9} <= set(shown.text.split()), shown.text
    shown.close()


def _in_use(root: Path, folder: Path) -> Path:
    """A folder to run in: work that is not done, and two faulty courses."""
    shutil.copytree(root / "exercises", folder / "used" / "exercises")
    (folder / "faulty").mkdir()
    (folder / "faulty" / "course.yml").write_text("title: 3\nexercises: []\n", encoding="utf-8")
    shutil.copytree(root / "tests" / "courses" / "tiny", folder / "faults")
    for stub in (folder / "faults").rglob("stubs/*.py"):
        stub.write_text("x = 1\n", encoding="utf-8")
    return folder


def test_a_message_is_left_as_it_is_where_scripts_read_it(run: Run, tmp_path: Path) -> None:
    """In a pipe it is a line a sentence, however narrow COLUMNS says that it is."""
    narrow, wide = (run("progress", cwd=tmp_path, COLUMNS=columns).stderr for columns in ("20", "200"))
    assert narrow == wide
    assert narrow.count("\n") == 2


def test_a_message_is_as_wide_as_the_terminal_it_goes_to(root: Path, tmp_path: Path) -> None:
    """Also where the output goes into a file; a command to paste in it is on one line, and so is a path."""
    script = shlex.join([*GRADE, "solution", "softmax"]) + " > out.txt"
    folder = tmp_path / ("far-" * 20)
    folder.mkdir()
    shown = Emulated(["sh", "-c", script], folder, columns=50, PYTHONPATH=str(root))
    shown.end()
    lines = shown.written.decode().splitlines()
    assert any(str(folder) in line for line in lines)
    assert any("`grade solution softmax --submission PATH`" in line for line in lines)
    assert all(len(line) <= 50 for line in lines if "far-" not in line)
    shown.close()


@pytest.mark.parametrize("name", ["nb.txt", "work.docx", "noname", "empty.md"])
@pytest.mark.parametrize(
    "command", [["run"], ["hint"], ["solution", "softmax"], ["explore", "scaling"]], ids=lambda words: words[0]
)
def test_a_file_of_another_kind_is_a_usage_error(run: Run, tmp_path: Path, name: str, command: list[str]) -> None:
    """It says at once which file that is and which kinds are graded, and grades nothing."""
    (tmp_path / name).write_text("" if name.startswith("empty") else "def softmax(x): return x\n", encoding="utf-8")
    done = run(*command, "--submission", name, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert all(word in done.stderr for word in (name, "not graded", ".py", ".ipynb", ".zip"))
    assert len(done.stderr.splitlines()) == 2


def test_a_broken_file_of_a_kind_that_is_graded_is_a_students_zero(run: Run, tmp_path: Path) -> None:
    """A zip that is none, and an empty notebook, are graded; what they are called has no say in whether they can be."""
    for name in ("work.zip", "work.ipynb"):
        (tmp_path / name).write_text("", encoding="utf-8")
        assert run("run", "--submission", name, cwd=tmp_path).returncode == 1
    shutil.make_archive(str(tmp_path / "packed"), "zip", Path(__file__).parents[1] / "solutions")
    (tmp_path / "packed.zip").rename(tmp_path / "packed.bin")
    assert run("run", "--submission", "packed.bin", cwd=tmp_path).returncode == 0


def test_a_faulty_course_lists_all_its_faults(run: Run, tmp_path: Path) -> None:
    """Every fault with its path, exit status 2; GRADE_COURSE is as good as --course."""
    (tmp_path / "course.yml").write_text("title: 3\nexercises: []\n")
    for done in (
        run("--course", tmp_path),
        run(GRADE_COURSE=str(tmp_path)),
        run("verify", "--course", tmp_path),
    ):
        assert done.returncode == 2
        assert all(path in done.stderr for path in ("title:", "exercises:", "name:", "lesson:"))


def test_a_course_in_a_submission_is_never_read(run: Run, workspace: Path) -> None:
    """A course.yml of the student's has no say."""
    (workspace / "course.yml").write_text("exercises: []\n")
    (workspace / "exercises" / "course.yml").write_text("exercises: []\n")
    assert "total: 0 of 100" in run(cwd=workspace).stdout


def test_every_command_takes_a_course(run: Run, root: Path, tmp_path: Path) -> None:
    """The tiny course runs through start, run, hint and verify."""
    tiny = root / "tests" / "courses" / "tiny"
    assert run("start", tmp_path / "w", "--course", tiny).returncode == 0
    assert "total: 0 of 3" in run("--course", tiny, cwd=tmp_path / "w").stdout
    assert "unit" in run("hint", "--course", tiny, cwd=tmp_path / "w").stdout
    assert run("verify", "--course", tiny).returncode == 0
    assert "That was all of it." in run("--course", tiny, "--submission", tiny / "answers").stdout


def test_the_output_file_is_written_whole_or_not_at_all(run: Run, tmp_path: Path) -> None:
    """--output writes the report, prints nothing, leaves no half file, and says where it could not."""
    done = run("run", "--submission", "solutions", "--format", "json", "--output", tmp_path / "r.json")
    assert (done.returncode, done.stdout) == (0, "")
    assert json.loads((tmp_path / "r.json").read_text())["score"] == 100
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]
    failed = run("run", "--submission", "solutions", "--output", tmp_path / "none" / "r.json")
    assert failed.returncode == 2
    assert "none/r.json" in failed.stderr


def test_junit_is_read_by_others(run: Run) -> None:
    """`--format junit` is XML with a test case a hidden test."""
    tree = ET.fromstring(run("run", "--submission", "solutions", "--format", "junit").stdout)
    assert (
        len(tree.findall(".//testcase"))
        == len({(c.get("classname"), c.get("name")) for c in tree.iter("testcase")})
        > 30
    )


def test_a_pipe_gets_plain_words(run: Run) -> None:
    """No escape sequence where the output is no terminal."""
    assert "\x1b" not in run("run", "--submission", "solutions").stdout
    assert "\x1b" in run("run", "--submission", "solutions", "--format", "rich").stdout
    assert "\x1b" not in run("run", "--submission", "solutions", "--format", "rich", NO_COLOR="1").stdout


def test_grading_writes_nothing_into_the_submission(run: Run, workspace: Path) -> None:
    """Not a file more, and no byte code."""
    before = sorted(workspace.rglob("*"))
    run("run", "--submission", workspace)
    assert sorted(workspace.rglob("*")) == before


def test_start_refuses_a_folder_that_holds_anything(run: Run, workspace: Path) -> None:
    """Nothing is ever overwritten."""
    mine = workspace / "exercises" / "softmax.py"
    mine.write_text("mine")
    done = run("start", workspace)
    assert done.returncode == 2
    assert "not empty" in done.stderr
    assert mine.read_text() == "mine"


def test_a_workspace_holds_no_solution(workspace: Path, root: Path) -> None:
    """What a student is handed: stubs and the lesson, no solution, no suite."""
    names = sorted(str(path.relative_to(workspace)) for path in workspace.rglob("*") if path.is_file())
    assert names == [
        ".gitignore",
        ".vscode/settings.json",
        ".vscode/tasks.json",
        "README.md",
        "exercises/README.md",
        "exercises/attention.py",
        "exercises/causal_mask.py",
        "exercises/softmax.py",
    ]
    assert not [path for path in workspace.rglob("*.py") if "SOLUTION" in path.read_text()]


def test_hints_say_what_is_wrong_now(run: Run, workspace: Path) -> None:
    """`grade hint` names the mistake; `--all` shows the ladder; a solved exercise has none left."""
    (workspace / "exercises" / "causal_mask.py").write_text(
        "import numpy as np\ndef causal_mask(n): return ~np.tri(n, dtype=bool)\n"
    )
    first, everything = (
        run("hint", "causal_mask", cwd=workspace),
        run("hint", "causal_mask", "--all", cwd=workspace),
    )
    assert first.returncode == 0
    assert "inverted-mask" in first.stdout
    assert len(everything.stdout) > len(first.stdout)
    assert "nothing left" in run("hint", "softmax", "--submission", "solutions").stdout


def test_a_hint_is_given_where_nothing_can_be_remembered(run: Run, workspace: Path, tmp_path: Path) -> None:
    """A `.grade` that leads elsewhere is left alone and said to be, and the hint comes all the same."""
    (tmp_path / "elsewhere").mkdir()
    (workspace / ".grade").symlink_to(tmp_path / "elsewhere")
    hinted = run("hint", cwd=workspace)
    assert hinted.returncode == 0
    assert "Hint 1 of 3" in hinted.stdout
    assert ".grade: cannot remember: this is a link" in hinted.stderr
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_solution_is_shown_to_whom_has_one(run: Run, workspace: Path, root: Path) -> None:
    """Before, it says what is missing and what helps; then comes the course's own, as one reads it."""
    before = run("solution", "softmax", cwd=workspace)
    assert (before.returncode, before.stderr) == (1, "")
    assert "0 of 30 points" in before.stdout
    assert "grade hint softmax" in before.stdout
    source = (root / "solutions" / "softmax.py").read_text(encoding="utf-8")
    (workspace / "exercises" / "softmax.py").write_text(source, encoding="utf-8")
    after = run("solution", "softmax", cwd=workspace)
    assert (after.returncode, after.stderr) == (0, "")
    assert after.stdout == source.replace("    ### BEGIN SOLUTION\n", "").replace("    ### END SOLUTION\n", "")


def test_a_course_can_keep_its_solutions(run: Run, root: Path, tmp_path: Path) -> None:
    """`reveal: solutions: false` shows them to nobody, full marks or not."""
    course = shutil.copytree(root / "tests" / "courses" / "tiny", tmp_path / "course")
    with (course / "course.yml").open("a", encoding="utf-8") as file:
        file.write("\nreveal: {solutions: false}\n")
    done = run("solution", "unit", "--course", course, "--submission", course / "answers")
    assert (done.returncode, done.stdout) == (2, "")
    assert "keeps its solutions to itself" in done.stderr


def test_a_fault_of_ours_is_never_exit_status_1(run: Run, root: Path) -> None:
    """An exception in the grader is said to be the grader's, with exit status 2."""
    script = (
        "import grader.grading\n"
        "def broken(*args, **named): raise RuntimeError('loose wire')\n"
        "grader.grading.grade = broken\n"
        "from grader.cli import main; main(['--submission', 'solutions'])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "loose wire" in done.stderr
    assert "not your code" in done.stderr


def test_ctrl_c_is_never_exit_status_1(root: Path, tmp_path: Path) -> None:
    """Interrupted, `grade` ends with 130 and leaves the submission as it was."""
    (tmp_path / "softmax.py").write_text("print('loaded')\ndef softmax(x, axis=-1):\n while True: pass\n")
    command = [*GRADE, "run", "softmax", "--submission", str(tmp_path)]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as grader:
        time.sleep(1.5)
        grader.send_signal(signal.SIGINT)
        out, err = grader.communicate(timeout=20)
    assert (grader.returncode, out) == (130, "")
    assert "stopped" in err


def test_a_terminal_without_the_characters_gets_escapes(run: Run) -> None:
    """An ASCII terminal is no reason to fail."""
    done = run("run", "--submission", "exercises", "--format", "rich", PYTHONIOENCODING="ascii")
    assert done.returncode == 1
    assert "0 of 100" in done.stdout


EVERY = [[], *([name] for name in sorted(main.commands)), ["nbgrader", "init"], ["nbgrader", "batch"]]


@pytest.mark.parametrize("command", EVERY, ids=lambda command: " ".join(command) or "grade")
def test_help_is_all_one_needs(run: Run, command: list[str]) -> None:
    """Every command's help has examples that are commands there are, its exit statuses, and lines that fit."""
    text = run(*command, "--help").stdout
    assert max(map(len, text.splitlines())) <= 80
    examples = text.partition("\n  Examples:\n")[2].partition("\n\n")[0]
    named = re.findall(r"^    (?:\w+=\w+ )?(grade\b.*?)(?: {2}|$)", examples, re.MULTILINE)
    assert len(named) == len(examples.splitlines()) >= 2
    assert [each for each in named if each.startswith(" ".join(["grade", *command]))]
    assert {each.split()[1] for each in named if " " in each} <= set(main.commands)
    notes = [found.end() for line in examples.splitlines() if (found := re.search(r"\S {2,}(?=\S)", line))]
    assert len(set(notes)) <= 1, "the notes stand in one column"
    assert re.search(r"^  Exit status: 0 .*\b2\b", text, re.MULTILINE | re.DOTALL)
    assert text.count("...") <= 2, "what a command does is said whole"


def test_help_names_the_variables(run: Run) -> None:
    """Each variable that the program looks at is in `grade --help`, and so is the way to shell completion."""
    text = run("--help").stdout
    for name in ("GRADE_COURSE", "GRADE_SEED_FILE", "NO_COLOR", "GRADE_DEBUG", "_GRADE_COMPLETE=bash_source"):
        assert name in text
    listed = re.findall(r"^  (\w+)  +\S", text.partition("To learn:")[2].partition("Environment")[0], re.MULTILINE)
    assert sorted(listed) == sorted(main.commands)


COMPLETED = {
    "grade ": {"run", "batch", "nbgrader"},
    "grade h": {"hint"},
    "grade --form": {"--format"},
    "grade --format gr": {"gradescope"},
    "grade run ": {"softmax", "causal_mask", "attention"},
    "grade run softmax ": {"causal_mask", "attention"},
    "grade softmax c": {"causal_mask"},
    "grade hint c": {"causal_mask"},
    "grade watch s": {"softmax"},
    "grade solution s": {"softmax"},
    "grade explore s": {"scaling", "stability"},
    "grade explore ": {"scaling", "lookup", "masking", "float16", "stability", "cost"},
    "grade quiz --topic sca": {"scaling"},
    "grade start here --for ": {"github", "gradescope"},
    "grade nbgrader ": {"init", "batch"},
}


@pytest.mark.parametrize("line", COMPLETED)
def test_a_shell_completes(run: Run, line: str) -> None:
    """Commands, options, their choices, and the exercises of the course, without those that stand there already."""
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1), "_GRADE_COMPLETE": "bash_complete"}
    done = run(**asked)
    offered = {each.partition(",")[2] for each in done.stdout.splitlines()}
    assert offered >= COMPLETED[line] if line == "grade " else offered == COMPLETED[line]
    assert not done.stderr


def test_completion_knows_the_course_and_bears_none(run: Run, root: Path) -> None:
    """The exercises are those of the course named; of a faulty one there are none, and no error in the prompt."""
    for course, names in ((root / "tests" / "courses" / "tiny", "plain,unit"), (root / "docs", "")):
        done = run(COMP_WORDS=f"grade run --course {course} ", COMP_CWORD="4", _GRADE_COMPLETE="bash_complete")
        assert (done.stdout.strip(), done.stderr) == (names, "")


def test_completion_is_light(root: Path) -> None:
    """A Tab waits for neither NumPy nor pytest."""
    script = (
        "import sys\nfrom grader.cli import main\ntry: main(prog_name='grade')\nexcept SystemExit: pass\n"
        "print(*sys.modules)"
    )
    env = {**os.environ, "COMP_WORDS": "grade run ", "COMP_CWORD": "2", "_GRADE_COMPLETE": "bash_complete"}
    done = subprocess.run([sys.executable, "-c", script], cwd=root, env=env, capture_output=True, text=True, check=True)
    *offered, modules = done.stdout.splitlines()
    assert "plain,softmax" in offered
    assert not set(modules.split()) & {"numpy", "pytest", "rich", "nbgrader", "asyncio"}


@pytest.mark.tool("bash")
def test_bash_takes_the_completion(run: Run) -> None:
    """The line that `grade --help` shows is one that bash can run."""
    done = run(_GRADE_COMPLETE="bash_source")
    assert "complete " in done.stdout
    subprocess.run(["bash", "-n"], input=done.stdout, text=True, check=True)


def test_version_and_help(run: Run) -> None:
    """Every command and option has help, and examples keep their lines."""
    assert "0.1.0" in run("--version").stdout
    for command in ("run", "hint", "start", "verify"):
        done = run(command, "--help")
        assert done.returncode == 0
        assert "--course" in done.stdout
    assert "\n    grade run softmax" in run("run", "--help").stdout


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_permission_denied_is_ours_not_the_students(run: Run, tmp_path: Path) -> None:
    """A file that may not be read is exit status 2, not a zero."""
    (tmp_path / "softmax.py").write_text("x = 1")
    (tmp_path / "softmax.py").chmod(0)
    assert run("run", "--submission", tmp_path / "softmax.py").returncode == 2
