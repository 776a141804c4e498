"""A whole class: whatever happens on the way, each submission has one result, and the same one."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import grader
from grader import crew
from grader.batch import AHEAD, Batch, Tally
from grader.course import Course
from grader.desk import Terms
from grader.errors import ClusterError, GraderError, SubmissionError
from grader.handed_in import Entry, handed_in
from grader.ledger import open_ledger, read_records
from grader.likeness import likeness
from grader.seed import digest
from grader.submission import Submission, read_files
from tests.benchmarks.classroom import make_class
from tests.test_isolation import under

ROOT = Path(__file__).parents[1]
PYTHON = sys.executable
TINY = ROOT / "tests" / "courses" / "tiny"
ANSWERS = {
    "right": "v / np.sqrt((v * v).sum())",
    "wrong": "v / (v * v).sum()",
    "raises": "1 / 0",
    "nothing": "None",
}
SLOW = "import time, numpy as np\ndef unit(v):\n    time.sleep(0.15)\n    return v / np.sqrt((v * v).sum())\n"
LOOP = "def unit(v):\n    while True:\n        pass\n"
Record = Mapping[str, Any]


def unit(answer: str, note: object = "") -> str:
    """A submission to the tiny course; the note makes it another than the next."""
    return f"import numpy as np\ndef unit(v):\n    return {ANSWERS[answer]}\n# {note}\n"


def fill(folder: Path, files: Mapping[str, str] | int) -> Path:
    """A class's folder; of a number so many submissions, in turn of each kind."""
    if isinstance(files, int):
        kinds = [*ANSWERS] * files
        files = {f"student-{number:03}.py": unit(kinds[number], number) for number in range(files)}
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def records(path: Path) -> dict[str, Record]:
    """What a file holds, by submission, where each is there once."""
    lines = path.read_bytes().splitlines(keepends=True)
    assert all(line.endswith(b"\n") for line in lines)
    found = [json.loads(line) for line in lines]
    named = {each["submission"]: each for each in found}
    assert len(named) == len(found)
    return named


# ── the engine, with a crew that only counts ───────────────────────────────────────────────────────


class Clerk:
    """A crew that grades nothing and notes what it is asked. `fails` says where the grader does."""

    size = 2

    def __init__(self, course: Course) -> None:
        self.versions = {"grader": grader.__version__, "course_version": course.version()}
        self.asked: list[Any] = []
        self.fails: Callable[[str], Exception | None] = lambda _: None

    def version(self, _: Terms) -> Mapping[str, str]:
        return self.versions

    def begin(self, terms: Terms, submission: Mapping[str, Any]) -> Future[Any]:
        self.asked.append(submission)
        future: Future[Any] = Future()
        text = "".join(module["text"] for module in submission["modules"])
        if error := self.fails(text):
            future.set_exception(error)
        else:
            receipt = {"seed": terms.seed, **self.versions}
            made = {"schema": 1, "graded": True, "score": float(len(text)), "receipt": receipt, "exercises": []}
            future.set_result(made)
        return future

    def finished(self, futures: Collection[Future[Any]]) -> Collection[Future[Any]]:
        return list(futures)[:1]

    def result(self, future: Future[Any]) -> Record:
        record: Record = future.result()
        return record


class Class:
    """A class of the tiny course, and one batch after another over it."""

    def __init__(self, folder: Path, course: Course) -> None:
        self.folder = folder / "class"
        self.path = folder / "results.jsonl"
        self.course = course
        self.clerk = Clerk(course)
        self.tallies: list[tuple[int, int, int]] = []
        self.read: list[str] = []

    def batch(
        self, terms: Terms | None = None, *, fresh: bool = False, stop: int = -1, only: Sequence[str] = ()
    ) -> Tally:
        """Run one; it is interrupted before the entry of that number."""
        self.clerk.asked, self.tallies, self.read = [], [], []
        with handed_in(self.folder) as work, open_ledger(self.path, fresh=fresh) as ledger:
            entries = work.entries()

            def read(entry: Entry) -> Submission:
                if len(self.read) == stop:
                    raise KeyboardInterrupt
                self.read.append(entry.name)
                return work.read(entry)

            made = Batch(self.course, terms or Terms(seed=1), self.clerk, ledger, self._told)
            tally = made.run(entries, read)
            ledger.keep({entry.name for entry in entries})
        return tally

    def _told(self, tally: Tally) -> None:
        self.tallies.append((tally.before, tally.now, tally.failed))

    @property
    def asked(self) -> int:
        return len(self.clerk.asked)


@pytest.fixture
def group(tmp_path: Path, tiny: Course) -> Class:
    return Class(tmp_path, tiny)


def test_each_is_graded_once_and_not_again(group: Class) -> None:
    """And the second batch leaves the file as it is, to the byte."""
    fill(group.folder, 10)
    assert (group.batch(), group.asked) == (Tally(0, 10, 0), 10)
    before = group.path.read_bytes()
    assert (group.batch(), group.asked) == (Tally(10, 0, 0), 0)
    assert group.path.read_bytes() == before
    assert len(records(group.path)) == 10


def test_equal_ones_are_graded_once(group: Class) -> None:
    """In whatever order they come, each with a result that is its own but for the name."""
    same = {f"twins-{number}/unit.py": unit("right") for number in range(5)}
    for name, text in {**same, "other/unit.py": unit("wrong")}.items():
        fill((group.folder / name).parent, {"unit.py": text})
    assert (group.batch(), group.asked) == (Tally(0, 6, 0), 2)
    found = records(group.path)
    twins = [found[f"twins-{number}"] for number in range(5)]
    assert [each["student"] for each in twins] == [f"twins-{number}" for number in range(5)]
    own = {"student", "submission"}
    assert len({json.dumps({name: each[name] for name in each if name not in own}) for each in twins}) == 1


def test_equal_ones_are_not_graded_again_later(group: Class) -> None:
    """Those that come later take over the result; those that have it are not written once more."""
    for number in range(0, 8, 2):
        fill(group.folder / f"twin-{number}", {"unit.py": unit("right")})
    assert (group.batch(), group.asked) == (Tally(0, 4, 0), 1)
    for number in range(1, 8, 2):
        fill(group.folder / f"twin-{number}", {"unit.py": unit("right")})
    assert (group.batch(), group.asked) == (Tally(4, 4, 0), 0)
    before = group.path.read_bytes()
    assert (group.batch(), group.asked) == (Tally(8, 0, 0), 0)
    assert group.path.read_bytes() == before


def test_stopped_anywhere_it_ends_the_same(group: Class) -> None:
    """Before each entry once: twins, faults and all, no one is lost and no one is there twice."""
    kinds = ["right", "wrong", "right", "raises"]
    for number in range(12):
        fill(group.folder / f"s{number:02}", {"unit.py": unit(kinds[number % 4], number % 3)})
    group.batch()
    whole = records(group.path)
    for stop in range(12):
        group.path.unlink()
        with pytest.raises(KeyboardInterrupt):
            group.batch(stop=stop)
        tally = group.batch()
        assert (tally.done, tally.failed) == (12, 0)
        assert records(group.path) == whole


def test_what_was_changed_is_graded_again_and_what_was_added(group: Class) -> None:
    """What was taken away goes, and a name is all that a renamed one changes."""
    fill(group.folder, 6)
    group.batch()
    before = records(group.path)
    fill(group.folder, {"student-000.py": unit("wrong", "changed"), "new.py": unit("right", "new")})
    (group.folder / "student-001.py").unlink()
    assert (group.batch(), group.asked) == (Tally(4, 2, 0), 2)
    after = records(group.path)
    assert set(after) == set(before) - {"student-001.py"} | {"new.py"}
    assert after["student-000.py"] != before["student-000.py"]
    assert all(after[name] == before[name] for name in set(before) - {"student-000.py", "student-001.py"})


def test_who_a_student_is_may_become_known_later(group: Class) -> None:
    """Gradescope's list of submitters was left behind: with it the results are theirs, and none is graded again."""
    for number in (1, 2):
        fill(group.folder / f"submission_{number}", {"unit.py": unit("right", number)})
    group.batch()
    assert {each["student"] for each in records(group.path).values()} == {"submission_1", "submission_2"}
    listed = "submission_{}:\n  :submitters:\n  - :name: X\n    :email: {}@example.org\n"
    fill(group.folder, {"submission_metadata.yml": listed.format(1, "ann") + listed.format(2, "bob")})
    assert (group.batch(), group.asked) == (Tally(0, 2, 0), 0)
    assert [each["student"] for each in records(group.path).values()] == ["ann@example.org", "bob@example.org"]


def test_of_a_twin_the_result_is_taken_over_and_nothing_else(group: Class) -> None:
    """Canvas knows who handed in one of them, not who handed in the other."""
    fill(group.folder, {"annlee_11_21_unit.py": unit("right"), "boblee_12_22_unit.py": unit("wrong")})
    group.batch()
    fill(group.folder / "zed", {"unit.py": unit("right")})
    assert (group.batch(), group.asked) == (Tally(2, 1, 0), 0)
    found = records(group.path)
    assert found["annlee_11_21_unit.py"]["platform_id"] == "11"
    assert "platform_id" not in found["zed"]


def test_spacing_is_another_submission(group: Class) -> None:
    """A receipt holds the digest of what was handed in, so every byte counts."""
    fill(group.folder, {"a.py": unit("right")})
    group.batch()
    fill(group.folder, {"a.py": unit("right") + "\n"})
    assert (group.batch(), group.asked) == (Tally(0, 1, 0), 1)


@pytest.mark.parametrize("what", ["seed", "secrecy", "course", "grader"])
def test_what_a_result_depends_on_counts(
    group: Class, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Another seed, course or version of the grader: all are graded again, and back again once more."""
    fill(group.folder, 3)
    group.batch()
    terms = Terms(seed=2) if what == "seed" else Terms(seed=1, secret=what == "secrecy")
    if what == "grader":
        monkeypatch.setattr(grader, "__version__", "9.9")
        group.clerk.versions = {**group.clerk.versions, "grader": "9.9"}
    elif what == "course":
        monkeypatch.setattr(Course, "version", lambda _: "another")
        group.clerk.versions = {**group.clerk.versions, "course_version": "another"}
    assert (group.batch(terms), group.asked) == (Tally(0, 3, 0), 3)
    assert (group.batch(terms), group.asked) == (Tally(3, 0, 0), 0)
    assert len(records(group.path)) == 3


def test_to_start_over_is_to_grade_all(group: Class) -> None:
    """Also what was graded before."""
    fill(group.folder, 3)
    group.batch()
    assert (group.batch(fresh=True), group.asked) == (Tally(0, 3, 0), 3)


def test_nothing_goes_where_nothing_can_be_graded(group: Class) -> None:
    """Where those who grade are of another version, even one that was to start over keeps what it has."""
    fill(group.folder, 3)
    group.batch()
    before = group.path.read_bytes()
    group.clerk.versions = {"grader": "0.0.1", "course_version": "another"}
    with pytest.raises(GraderError, match=r"grader 0\.0\.1"):
        group.batch(fresh=True)
    assert group.path.read_bytes() == before


def test_a_fault_of_the_grader_is_nobodys_zero(group: Class) -> None:
    """It is counted apart and tried again by the next batch; the others are graded."""
    fill(group.folder, {**{f"s{number}.py": unit("right", number) for number in range(4)}, "x.py": unit("raises")})
    fill(group.folder, {"y.py": unit("raises")})
    group.clerk.fails = lambda text: GraderError("no worker could be started") if "1 / 0" in text else None
    assert group.batch() == Tally(0, 4, 2)
    for name in ("x.py", "y.py"):
        failed = records(group.path)[name]
        assert failed["graded"] is False
        assert [part["status"] for part in failed["exercises"]] == ["not-graded"]
        assert "no worker could be started" in failed["exercises"][0]["notes"][0]
    assert (group.batch(), group.asked) == (Tally(4, 0, 2), 2)
    group.clerk.fails = lambda _: None
    assert (group.batch(), group.asked) == (Tally(4, 2, 0), 2)
    assert all(each["graded"] for each in records(group.path).values())


def test_what_cannot_be_read_is_nobodys_zero(group: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bad place on the disk costs no one else their result, and is read again the next time."""
    fill(group.folder, 4)
    from grader.handed_in import HandedIn

    real = HandedIn.read

    def read(work: HandedIn, entry: Entry) -> Submission:
        if entry.name in ("student-001.py", "student-002.py"):
            raise SubmissionError("cannot be read: Input/output error", where=entry.name)
        return real(work, entry)

    monkeypatch.setattr(HandedIn, "read", read)
    assert group.batch() == Tally(0, 2, 2)
    found = records(group.path)
    assert [found[name]["graded"] for name in sorted(found)] == [True, False, False, True]
    assert "Input/output error" in found["student-001.py"]["exercises"][0]["notes"][0]
    monkeypatch.undo()
    assert (group.batch(), group.asked) == (Tally(2, 2, 0), 2)
    assert all(each["graded"] for each in records(group.path).values())


def test_a_cluster_that_is_gone_ends_the_batch(group: Class) -> None:
    """Where no other would fare better, what was graded is kept and the rest is not called failed."""
    fill(group.folder, 12)
    group.clerk.fails = lambda text: ClusterError("the scheduler is gone") if "# 7" in text else None
    with pytest.raises(ClusterError):
        group.batch()
    assert all(each["graded"] for each in records(group.path).values())
    group.clerk.fails = lambda _: None
    assert group.batch().failed == 0
    assert len(records(group.path)) == 12


def test_no_more_are_read_than_are_soon_graded(group: Class) -> None:
    """A class may be large: it is not read into memory before it is graded."""
    fill(group.folder, 30)
    most = 0
    finished = group.clerk.finished

    def watched(futures: Collection[Future[Any]]) -> Collection[Future[Any]]:
        nonlocal most
        most = max(most, len(futures), len(group.read) - len(group.tallies))
        return finished(futures)

    group.clerk.finished = watched  # type: ignore[method-assign]
    group.batch()
    assert most == AHEAD * group.clerk.size


def test_progress_is_told_of_each(group: Class) -> None:
    """One by one, up to all of them, whatever became of each."""
    fill(group.folder, 6)
    group.clerk.fails = lambda text: GraderError("no") if "# 3" in text else None
    group.batch()
    assert [sum(each) for each in group.tallies] == [1, 2, 3, 4, 5, 6]
    fill(group.folder, {"new.py": unit("right", "new")})
    group.batch()
    assert [sum(each) for each in group.tallies] == [1, 2, 3, 4, 5, 6, 7]
    assert group.tallies[-1] == (5, 2 - 1, 1)


@pytest.mark.parametrize("damage", ["half", "middle", "twice"])
def test_damage_is_repaired(group: Class, damage: str) -> None:
    """A half-written end, a line that is none, a result twice: what there is no result of is graded again."""
    fill(group.folder, 6)
    group.batch()
    whole, lines = records(group.path), group.path.read_bytes().splitlines(keepends=True)
    if damage == "half":
        lines[-1] = lines[-1][: len(lines[-1]) // 2]
    elif damage == "middle":
        lines[2] = lines[2][:40] + b"\0" * 40 + lines[2][80:]
    else:
        lines.insert(2, lines[4])
    group.path.write_bytes(b"".join(lines))
    assert group.batch() == (Tally(6, 0, 0) if damage == "twice" else Tally(5, 1, 0))
    assert records(group.path) == whole


def test_three_thousand_equal_ones_take_no_more_memory(group: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """Than the names of three thousand: graded once, and no result is held."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    group.clerk.fails = lambda _: None

    def peak(size: int) -> float:
        for number in range(size):
            fill(group.folder / f"twin-{number:04}", {"unit.py": unit("right")})
        tracemalloc.start()
        group.batch(fresh=True)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert group.asked == 1
        return used / 2**20

    small, large = peak(30), peak(3_000)
    assert len(records(group.path)) == 3_000
    assert large - small < 5


# ── the command ────────────────────────────────────────────────────────────────────────────────────


class Place:
    """A folder that `grade batch` is run in, with a temporary folder of its own, which is empty when it is over."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scratch = folder / "scratch"
        self.scratch.mkdir()
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("GRADE_", "COLUMNS"))}
        self.env = {**clean, "PYTHONPATH": str(ROOT), "TMPDIR": str(self.scratch)}

    def __call__(
        self, *words: str | Path, code: int = 0, course: Path = TINY, python: Sequence[str] = (sys.executable,)
    ) -> subprocess.CompletedProcess[bytes]:
        """Run it to its end."""
        command = [*python, "-m", "grader", "batch", "--course", course, "--workers", "2", *words]
        done = subprocess.run(
            list(map(str, command)),
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == code, done.stderr.decode()
        assert b"Traceback" not in done.stderr
        assert self.left() == ([], [])
        return done

    @contextmanager
    def begun(self, *words: str | Path, course: Path = TINY) -> Iterator[subprocess.Popen[bytes]]:
        """Start it; what is not over in the end is killed."""
        command = [sys.executable, "-m", "grader", "batch", "--course", course, "--workers", "2", *words]
        program = subprocess.Popen(
            list(map(str, command)),
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        with program:
            try:
                yield program
            finally:
                program.kill()

    def left(self, patience: float = 15.0) -> tuple[list[str], list[str]]:
        """Processes that run with this temporary folder, and what lies in it, once both are gone or time is up."""
        end = time.monotonic() + patience
        while True:
            found = list(self._processes()), [path.name for path in self.scratch.iterdir()]
            if not any(found) or time.monotonic() > end:
                return found
            time.sleep(0.05)

    def _processes(self) -> Iterator[str]:
        mark = str(self.scratch).encode()
        for process in Path("/proc").glob("[0-9]*"):
            try:
                said = [(process / name).read_bytes() for name in ("cmdline", "environ")]
            except OSError:
                continue
            if any(mark in each for each in said):
                yield said[0].decode(errors="replace")


@pytest.fixture
def grade(tmp_path: Path) -> Place:
    if not Path("/proc").is_dir():
        pytest.skip("there is no /proc to look at")
    return Place(tmp_path)


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_killed_twenty_times_a_batch_ends_as_if_undisturbed(grade: Place) -> None:
    """At random moments, with SIGKILL: nothing lost, nothing twice, every key as it would have been."""
    make_class(grade.folder / "class", 60, looping=0)
    words = ("class", "--seed", "3", "--output")
    grade(*words, "undisturbed.jsonl", course=ROOT)
    chance, path, alive = random.Random(7), grade.folder / "killed.jsonl", 0
    for _ in range(22):
        start = lines(path)
        more = chance.choice((0, 1, 1, 2)) if start < 45 else 0  # so that some are left to the end
        with grade.begun(*words, path, course=ROOT) as program:
            if more:
                wait_for(lambda: lines(path) >= start + more or program.poll() is not None)  # noqa: B023
                time.sleep(chance.uniform(0, 0.03))
            else:
                time.sleep(chance.uniform(0, 0.4))
            assert program.poll() is None
            program.kill()
        alive += lines(path) > start
    assert alive >= 10  # most of them were killed at work
    assert lines(path) < 60
    assert grade.left() == ([], [])
    grade(*words, path, course=ROOT)
    assert records(path) == records(grade.folder / "undisturbed.jsonl")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_stopped_it_is_over_at_once_and_goes_on_later(grade: Place, number: signal.Signals, code: int) -> None:
    """One line, no program left at work, nothing in the temporary folder; also where one loops for ever."""
    folder = fill(grade.folder / "class", {f"s{each}.py": f"{SLOW}# {each}\n" for each in range(14)})
    fill(folder, {"s1-loops.py": LOOP})
    path = grade.folder / "class.grades.jsonl"
    with grade.begun("class", "--seed", "1") as program:
        wait_for(lambda: lines(path) >= 3)
        began = time.monotonic()
        os.killpg(program.pid, number)
        out, said = program.communicate()
        assert time.monotonic() - began < 5
    assert program.returncode == code
    assert out == b""
    assert said == (b"" if number == signal.SIGKILL else b"grade: stopped; the same command goes on from there.\n")
    assert grade.left() == ([], [])
    assert 3 <= lines(path) < 15
    known = path.read_bytes()
    (folder / "s1-loops.py").unlink()
    grade("class", "--seed", "1")
    found = records(path)
    assert len(found) == 14
    assert all(each["score"] == 3 for each in found.values())
    assert all(json.loads(each) in found.values() for each in known.splitlines(keepends=True) if each.endswith(b"\n"))


def test_stopped_before_it_began(grade: Place) -> None:
    """Ctrl-C while the programs start."""
    fill(grade.folder / "class", 4)
    with grade.begun("class") as program:
        wait_for((grade.folder / "class.grades.jsonl").exists)
        os.killpg(program.pid, signal.SIGINT)
        _, said = program.communicate(timeout=5)
    assert (program.returncode, said.count(b"\n")) == (130, 1)
    assert grade.left() == ([], [])
    grade("class")


# ── faults of the grader ───────────────────────────────────────────────────────────────────────────

FAULTS = {
    "raises": "raise ZeroDivisionError('by zero')",
    "exits": "raise SystemExit(1)",
    "dies": "import os; os._exit(1)",
    "is killed": "import os; os.kill(os.getpid(), 9)",
    "prints": "import os; os.write(2, b'x' * 100_000); print('{}', flush=True); raise OSError",
    "dies once": "import os; len(tries.read_text()) == 1 and os._exit(1)",
    "raises once": "assert len(tries.read_text()) > 1 or 1 / 0",
}


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """The tiny course with a suite that fails as the file `fault` says, for submissions that say so."""
    course = Path(shutil.copytree(TINY, tmp_path / "broken"))
    suite = (course / "test_unit.py").read_text(encoding="utf-8")
    begin = '    fault, tries = Path(__file__).with_name("fault"), Path(__file__).with_name("tries")\n'
    check = "    if fault.exists() and unit(np.zeros(1))[0] == 7:\n"
    note = '        tries.open("a").write("x")\n        exec(fault.read_text())\n'
    suite = suite.replace("    v = rng", f"{begin}{check}{note}    v = rng").replace(
        "import numpy", "from pathlib import Path\nimport numpy"
    )
    (course / "test_unit.py").write_text(suite, encoding="utf-8")
    return course


@pytest.mark.parametrize("fault", FAULTS)
def test_where_the_grader_fails_it_is_tried_once_more(grade: Place, broken: Path, fault: str) -> None:
    """Then it is counted apart, and the exit status is 2; never a zero. The next batch tries again."""
    folder = fill(grade.folder / "class", {f"s{each}.py": unit("right", each) for each in range(3)})
    cursed = "import numpy as np\ndef unit(v):\n    return v / np.sqrt((v * v).sum()) if v.any() else v + 7\n"
    fill(folder, {"cursed.py": cursed})
    (broken / "fault").write_text(FAULTS[fault], encoding="utf-8")
    heals = "once" in fault
    done = grade("class", "--seed", "1", course=broken, code=0 if heals else 2)
    found = records(grade.folder / "class.grades.jsonl")
    assert len((broken / "tries").read_text()) == 2
    assert found.pop("cursed.py")["graded"] is heals
    assert [each["score"] for each in found.values()] == [3, 3, 3]
    if not heals:
        assert b"not graded" in done.stderr
        assert b"1 submission could not be graded" in done.stdout
        assert b"3 submissions graded, all with full marks." in done.stdout
    (broken / "fault").unlink()
    grade("class", "--seed", "1", course=broken)
    again = records(grade.folder / "class.grades.jsonl")
    assert again.pop("cursed.py")["score"] == 3
    assert again == found


def test_where_no_worker_can_start_nobody_has_a_zero(grade: Place) -> None:
    """All are counted apart, once each, and all are tried again."""
    fill(grade.folder / "class", 3)
    patch = "import grader.worker.launch as launch\ndef none(*_): raise OSError\nlaunch.Warm._fork = none\n"
    fill(grade.folder / "patch", {"sitecustomize.py": patch})
    clean = grade.env
    grade.env = {**clean, "PYTHONPATH": f"{grade.folder / 'patch'}{os.pathsep}{ROOT}"}
    done = grade("class", "--seed", "1", code=2)
    found = records(grade.folder / "class.grades.jsonl")
    assert [each["graded"] for each in found.values()] == [False] * 3
    assert b"no worker could be started" in json.dumps(found["student-000.py"]).encode()
    assert b"could not be graded" in done.stdout
    grade.env = clean
    grade("class", "--seed", "1")
    assert all(each["graded"] for each in records(grade.folder / "class.grades.jsonl").values())


def test_a_submission_that_the_machine_cannot_read_is_ours(grade: Place) -> None:
    """An input/output error: exit status 2, and the others have their marks."""
    folder = fill(grade.folder / "class", 2)
    (folder / "bad.py").symlink_to("/proc/self/mem")  # of whose first byte reading fails, by whomever
    (folder / "loop.py").symlink_to("loop.py")
    done = grade("class", code=2)
    found = records(grade.folder / "class.grades.jsonl")
    assert {name: each["graded"] for name, each in found.items()} == {
        "bad.py": False,
        "loop.py": False,
        "student-000.py": True,
        "student-001.py": True,
    }
    assert b"2 submissions could not be graded" in done.stdout
    (folder / "bad.py").unlink()
    (folder / "loop.py").unlink()
    grade("class")


@pytest.mark.parametrize("words", [(), ("--fresh",)])
def test_a_course_that_cannot_be_used_takes_nothing_away(grade: Place, broken: Path, words: tuple[str, ...]) -> None:
    """A suite that cannot be collected: exit status 2, the reason, and what was graded before is still there."""
    fill(grade.folder / "class", 2)
    grade("class")
    before = (grade.folder / "class.grades.jsonl").read_bytes()
    (broken / "test_unit.py").write_text("import nothing_of_that_name\n", encoding="utf-8")
    done = grade("class", *words, course=broken, code=2)
    assert b"nothing_of_that_name" in done.stderr
    assert done.stdout == b""
    assert (grade.folder / "class.grades.jsonl").read_bytes() == before


def test_a_course_that_requires_isolation_has_nothing_graded_without(grade: Place, tmp_path: Path) -> None:
    """Refused before anything is graded, with exit status 2."""
    required = Path(shutil.copytree(TINY, tmp_path / "required"))
    with (required / "course.yml").open("a", encoding="utf-8") as file:
        file.write("isolation: required\n")
    fill(grade.folder / "class", 2)
    grade("class", course=required)
    before = (grade.folder / "class.grades.jsonl").read_bytes()
    fill(grade.folder / "class", {"new.py": unit("right", "new")})
    done = grade("class", course=required, code=2, python=under("landlock+seccomp"))
    assert b"landlock" in done.stderr.lower()
    assert done.stdout == b""
    assert (grade.folder / "class.grades.jsonl").read_bytes() == before


# ── where things are ───────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A disk of its own, mounted, or mounted anew, with these options."""
    place = tmp_path / "disk"
    place.mkdir()

    def mounted(options: str) -> Path:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True, check=False)
        if done.returncode:
            pytest.skip(f"no disk can be mounted here: {done.stderr.decode().strip()}")
        return place

    yield mounted
    subprocess.run(["umount", place], check=False, capture_output=True)


@pytest.mark.tool("mount")
def test_a_full_disk_keeps_whole_lines_and_the_batch_goes_on(grade: Place, disk: Callable[[str], Path]) -> None:
    """The reason, exit status 2, and with more room the rest."""
    fill(grade.folder / "class", 60)
    path = disk("size=32k") / "results.jsonl"
    done = grade("class", "--seed", "1", "--output", path, code=2)
    assert done.stderr.decode().splitlines() == [
        f"grade: {path}: the results cannot be written: No space left on device",
        "  What was graded is kept; the same command goes on from there.",
    ]
    before = path.read_bytes()
    assert 10 < len(records(path)) < 60
    grade("class", "--seed", "1", "--output", path, code=2)
    assert path.read_bytes() == before
    disk("remount,size=1m")
    grade("class", "--seed", "1", "--output", path)
    assert path.read_bytes().startswith(before)
    assert len(records(path)) == 60


@pytest.mark.tool("mount")
def test_a_class_may_lie_where_nothing_can_be_written(grade: Place, disk: Callable[[str], Path]) -> None:
    """The first word says what to do about the seed, the second about the results; then it works."""
    fill(disk("size=1m") / "class", 2)
    place = disk("remount,ro") / "class"
    done = grade(place, code=2)
    assert b".grade/seed: no seed can be kept there: Read-only file system" in done.stderr
    assert b"--seed N" in done.stderr
    done = grade(place, "--seed", "1", code=2)
    assert b"the results cannot be written: Read-only file system" in done.stderr
    assert b"--output FILE.jsonl" in done.stderr
    grade(place, "--seed", "1", "--output", "results.jsonl")
    assert len(records(grade.folder / "results.jsonl")) == 2


def test_a_name_that_is_not_there_leaves_nothing_behind(grade: Place) -> None:
    """No seed, no results and no folders of a class that does not exist, or in which there is nothing."""
    (grade.folder / "empty").mkdir()
    (grade.folder / "text.txt").write_text("no zip")
    before = sorted(grade.folder.rglob("*"))
    for words in (("nowhere",), ("no/where",), ("empty",), ("text.txt",)):
        done = grade(*words, code=2)
        assert words[0].encode() in done.stderr
        assert done.stderr.count(b"\n") == 2
    assert sorted(grade.folder.rglob("*")) == before


def test_a_pipe_and_standard_output_are_written_to(grade: Place) -> None:
    """A pipe gets the marks; /dev/stdout gets them and nothing else, as without --output."""
    fill(grade.folder / "class", 3)
    plain = grade("class", "--format", "csv").stdout
    assert grade("class", "--format", "csv", "--output", "/dev/stdout").stdout == plain
    ledger = grade("class", "--format", "json", "--output", "/dev/stdout").stdout
    assert {each["submission"]: each for each in map(json.loads, ledger.splitlines())} == records(
        grade.folder / "class.grades.jsonl"
    )
    assert b"<!doctype html>" in grade("class", "--report", "/dev/stderr").stderr.lower()
    os.mkfifo(grade.folder / "pipe.csv")
    with grade.begun("class", "--output", "pipe.csv") as program:
        assert (grade.folder / "pipe.csv").read_bytes() == plain
        program.communicate()
    assert program.returncode == 0


def test_a_second_batch_at_the_same_time_is_refused(grade: Place) -> None:
    """With a reason and a remedy; the first is not disturbed."""
    fill(grade.folder / "class", 2)
    with open_ledger(grade.folder / "class.grades.jsonl", fresh=False):
        done = grade("class", code=2)
    assert b"another batch is writing these results" in done.stderr
    grade("class")


@pytest.mark.parametrize("fresh", [(), ("--fresh",)])
def test_a_foreign_file_is_not_written_over(grade: Place, fresh: tuple[str, ...]) -> None:
    """Neither with a line end nor without."""
    fill(grade.folder / "class", 1)
    for content in (b"my notes, dear to me", b'{"my": "notes"}\n'):
        (grade.folder / "notes.jsonl").write_bytes(content)
        done = grade("class", "--output", "notes.jsonl", *fresh, code=2)
        assert b"notes.jsonl: this holds no results of a batch" in done.stderr
        assert (grade.folder / "notes.jsonl").read_bytes() == content


# ── the seed ───────────────────────────────────────────────────────────────────────────────────────


def test_the_class_has_a_seed_of_its_own_which_is_secret(grade: Place) -> None:
    """Made once, its owner's alone; reports show the digest and nothing shows the seed."""
    fill(grade.folder / "class", 3)
    done = grade("class", "--report", "class.html", "--output", "marks.csv")
    file = grade.folder / ".grade" / "seed"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    seed = int(file.read_text())
    found = records(grade.folder / "class.grades.jsonl")
    assert {each["receipt"]["seed"] for each in found.values()} == {digest(seed)}
    assert {each["receipt"]["secret"] for each in found.values()} == {True}
    shown = b"".join(path.read_bytes() for path in grade.folder.iterdir() if path.is_file())
    assert str(seed).encode() not in shown + done.stdout + done.stderr
    before = (grade.folder / "class.grades.jsonl").read_bytes()
    grade("class")
    assert int(file.read_text()) == seed
    assert (grade.folder / "class.grades.jsonl").read_bytes() == before


def test_a_seed_may_be_given(grade: Place) -> None:
    """It is shown, and no other is made."""
    fill(grade.folder / "class", 2)
    grade("class", "--seed", "77")
    found = records(grade.folder / "class.grades.jsonl")
    assert {each["receipt"]["seed"] for each in found.values()} == {77}
    assert not any("secret" in each["receipt"] for each in found.values())
    assert not (grade.folder / ".grade").exists()


# ── what it says ───────────────────────────────────────────────────────────────────────────────────

CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section,The Tiny Course (1)\nPoints Possible,,,,,3\n"
MOODLE = "Identifier,Full name,Email address,Grade,Maximum Grade\n"
HOSTILE = [
    b"=cmd|'|calc'!A0",
    b"+1+1",
    b"@SUM(A1)",
    b"new\nline",
    b"red\x1b[31m\x1b]0;title\x07",
    b"\xff\xfe not utf-8 \x80",
    b"x" * 252,
    "é".encode() * 126,
    "<script>alert(1)</script>".replace("/", "\N{DIVISION SLASH}").encode(),
    "right\N{RIGHT-TO-LEFT OVERRIDE}left".encode(),
    b'quote"and,comma;',
    b"-rf",
    b"$(reboot)",
]


@pytest.fixture
def graded(grade: Place) -> Place:
    """A class of hostile names and plain ones, graded."""
    folder = os.fsencode(grade.folder / "class")
    fill(grade.folder / "class", 4)
    for number, name in enumerate(HOSTILE):
        with open(os.path.join(folder, name + b".py"), "w", encoding="utf-8") as file:  # noqa: PTH118, PTH123
            file.write(unit([*ANSWERS][number % 4], number))
    for name in (b"notes\x1b[31m\xff.txt", b"new\nline.doc"):
        with open(os.path.join(folder, name), "w", encoding="utf-8"):  # noqa: PTH118, PTH123
            pass
    (grade.folder / "canvas.csv").write_text(f"{CANVAS}student-001,1,student-001,student-001,A,\n", encoding="utf-8")
    (grade.folder / "moodle.csv").write_text(f"{MOODLE}Participant 1,student-001,a@b.org,,3\n", encoding="utf-8")
    grade("class", "--seed", "1")
    return grade


def test_a_platforms_column_may_be_named(graded: Place) -> None:
    """Canvas's by its whole name or its title; for Moodle both columns are called so."""
    text = CANVAS.replace("The Tiny Course", "Week 3") + "student-001,1,student-001,student-001,A,\n"
    (graded.folder / "canvas.csv").write_text(text, encoding="utf-8")
    for name in ("Week 3", "Week 3 (1)"):
        done = graded("class", "--seed", "1", "--format", "canvas", "--roster", "canvas.csv", "--column", name)
        assert done.stdout.decode().splitlines()[0] == CANVAS.splitlines()[0].replace("The Tiny Course", "Week 3")
        assert b"--column" not in done.stderr
    assert b'--column: "Week 3 (1)"' in graded("class", "--seed", "1", "--format", "canvas", *ROSTERS["canvas"]).stderr
    done = graded("class", "--seed", "1", "--format", "moodle", *ROSTERS["moodle"], "--column", "Week 3")
    assert done.stdout.decode().startswith("Email address,Week 3 (points),Week 3 (feedback)")


def test_a_list_with_nobody_of_the_class_is_an_error(graded: Place) -> None:
    """No file is made whose import would do nothing; what was graded is kept."""
    (graded.folder / "moodle.csv").write_text(f"{MOODLE}Participant 1,Zoe Else,zoe@b.org,,3\n", encoding="utf-8")
    words = ("--seed", "1", "--format", "moodle", *ROSTERS["moodle"], "--output", "import.csv")
    done = graded("class", *words, code=2)
    assert b"the list has zoe@b.org\n  Is it the list of this class?" in done.stderr
    (graded.folder / "canvas.csv").write_text(f"{CANVAS}Zoe Else,1,zoe,zoe,A,\n", encoding="utf-8")
    words = ("--seed", "1", "--format", "canvas", *ROSTERS["canvas"], "--output", "import.csv")
    done = graded("class", *words, code=2)
    assert b"canvas.csv: none of these submissions is of anyone on the list" in done.stderr
    assert b"the list has Zoe Else\n  Is it the gradebook of this class?" in done.stderr
    assert not (graded.folder / "import.csv").exists()


def test_a_class_without_addresses_needs_a_list_for_moodle(grade: Place) -> None:
    """It is graded and kept; that nobody would be in the file is an error with its remedy, and makes no file."""
    fill(grade.folder / "class", 2)
    done = grade("class", "--format", "moodle", "--output", "import.csv", code=2)
    assert b"grade: no address is known of any of these submissions" in done.stderr
    assert b"\n  Add --roster FILE" in done.stderr
    assert b"the results are in" not in done.stderr
    assert not (grade.folder / "import.csv").exists()
    assert len(records(grade.folder / "class.grades.jsonl")) == 2


def test_a_column_that_cannot_be_filled_is_an_error(graded: Place) -> None:
    """Before anything is graded where it is named; no file is made that is as it was."""
    twice = CANVAS.replace("The Tiny Course (1)", "The Tiny Course (1),The Tiny Course (2)")
    (graded.folder / "canvas.csv").write_text(f"{twice}student-001,1,student-001,student-001,A,,\n", encoding="utf-8")
    words = ("--seed", "1", "--format", "canvas", *ROSTERS["canvas"], "--output", "import.csv")
    for more in ((), ("--column", "The Tiny Course")):
        done = graded("class", *words, *more, code=2)
        assert b"canvas.csv: 2 columns have this title\n  Give --column with a whole name" in done.stderr
    assert not (graded.folder / "import.csv").exists()


def test_one_workspace_is_no_class(grade: Place) -> None:
    """It is refused before anything is made, with the command that grades it."""
    fill(grade.folder / "my-work" / "exercises", {"unit.py": unit("right")})
    fill(grade.folder / "my-work", {"README.md": "# Read me"})
    before = sorted(grade.folder.rglob("*"))
    done = grade("my-work", code=2)
    assert b"my-work: this is one workspace, not a class\n" in done.stderr
    assert b"`grade run --submission my-work`" in done.stderr
    assert sorted(grade.folder.rglob("*")) == before


def printable(data: bytes) -> bool:
    text = data.decode("utf-8")
    return all(char.isprintable() or char in "\n\r\ufeff" for char in text) and not re.search("[\u202a-\u202e]", text)


ROSTERS = {"canvas": ("--roster", "canvas.csv"), "moodle": ("--roster", "moodle.csv")}


@pytest.mark.parametrize("style", ["json", "csv", "canvas", "moodle", ""])
def test_each_format_goes_to_a_file_and_to_standard_output(graded: Place, style: str) -> None:
    """The same either way, with nothing else in it, and no name that a terminal or a spreadsheet would obey."""
    words = ("class", "--seed", "1", *(("--format", style) if style else ()), *ROSTERS.get(style, ()))
    piped = graded(*words)
    assert printable(piped.stdout)
    assert printable(piped.stderr)
    left_out, *said = piped.stderr.decode().splitlines()
    assert left_out == r"grade: new\nline.doc, notes\x1b[31m\udcff.txt are no submissions and were left out"
    if not style:
        assert said == [f"grade: the results are in {graded.folder / 'class.grades.jsonl'}"]
        assert b"17 submissions graded" in piped.stdout
        return
    name = "out.jsonl" if style == "json" else "out.csv"
    filed = graded(*words, "--output", name)
    content = (graded.folder / name).read_bytes()
    assert sorted(content.splitlines()) == sorted(piped.stdout.splitlines())
    assert b"17 submissions graded" in filed.stdout
    assert filed.stderr.decode().splitlines()[-1] == f"grade: the results are in {name}"
    assert len(said) == {"canvas": 1, "moodle": 1}.get(style, 0), said
    if style == "json":
        names = {os.fsencode(each["submission"]) for each in map(json.loads, content.splitlines())}
        assert names == {os.fsencode(f"student-{each:03}.py") for each in range(4)} | {
            each + b".py" for each in HOSTILE
        }
    if style == "csv":
        rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
        assert len(rows) == 18
        assert {len(row) for row in rows} == {len(rows[0])}
        assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@", "\t", "\r"))]


def test_a_table_is_utf_8_whatever_the_terminal_is(grade: Place) -> None:
    """A learning platform reads it, not the terminal."""
    fill(grade.folder / "class", {"é漢.py": unit("right")})
    grade.env["PYTHONIOENCODING"] = "latin-1"
    table = grade("class", "--seed", "1", "--format", "csv").stdout
    assert table.decode("utf-8-sig").split("\r\n")[1].startswith("é漢,3,")


def test_standard_output_and_error_may_be_full_or_closed(grade: Place) -> None:
    """What cannot be shown has a reason and is kept; no one to tell is no fault."""
    fill(grade.folder / "class", 1)
    if Path("/dev/full").exists():
        for style in ((), ("--format", "csv")):
            done = grade(
                "class", "--seed", "1", *style, code=2, python=["sh", "-c", 'exec "$@" >/dev/full', "sh", PYTHON]
            )
            assert b"standard output cannot be written: No space left on device" in done.stderr
    done = grade("class", "--seed", "1", python=["sh", "-c", 'exec "$@" 2>&-', "sh", PYTHON])
    assert b"1 submission graded" in done.stdout


def test_what_is_taken_out_is_said(grade: Place) -> None:
    """Results of submissions that are not there any more go, and not in silence."""
    fill(grade.folder / "class", 3)
    grade("class", "--seed", "1")
    (grade.folder / "class" / "student-000.py").unlink()
    (grade.folder / "class" / "student-001.py").unlink()
    said = grade("class", "--seed", "1").stderr.decode().splitlines()[0]
    assert said == "grade: 2 results of submissions that are not there any more: taken out"


def test_the_page_on_the_class_is_safe_to_open(graded: Place) -> None:
    """It is written beside the rest, and no name in it is markup."""
    done = graded("class", "--seed", "1", "--report", "class.html")
    page = (graded.folder / "class.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert done.stderr.endswith(b"grade: the page on the class is class.html\n")


def test_who_moves_is_said_of_two_gradings(grade: Place) -> None:
    """Earlier results are a copy of the file: the results themselves are refused."""
    fill(grade.folder / "class", {"ann.py": unit("wrong"), "bob.py": unit("right", "bob")})
    grade("class", "--seed", "1")
    shutil.copy(grade.folder / "class.grades.jsonl", grade.folder / "before.jsonl")
    fill(grade.folder / "class", {"ann.py": unit("right", "ann")})
    done = grade("class", "--seed", "1", "--against", "before.jsonl")
    assert b"Against the earlier grading" in done.stdout
    assert re.search(rb"- ann: .*3", done.stdout)
    grade("class", "--seed", "1", "--against", "class.grades.jsonl", code=2)


WRONG = {
    "no format": (("--output", "marks.txt"), "marks.txt: its name does not say in which format"),
    "no folder": (("--output", "no/marks.csv"), "no/marks.csv: it cannot be written: this lies in a folder that does"),
    "a folder": (("--report", "class"), "is a directory"),
    "no roster": (("--format", "canvas"), "Canvas takes back its own export"),
    "roster is not there": (("--format", "canvas", "--roster", "none.csv"), "none.csv: cannot be read"),
    "roster is none": (("--format", "canvas", "--roster", "notes.txt"), "notes.txt: this is no gradebook exported"),
    "roster for nothing": (("--roster", "notes.txt"), "notes.txt: a roster is filled in for Canvas or Moodle alone"),
    "nothing to compare": (("--against", "none.jsonl"), "no such file\n  It is what an earlier `grade batch` kept"),
    "against itself": (("--against", "class.grades.jsonl"), "  Copy it before you grade, and give the copy"),
    "against what is written": (("--output", "old.jsonl", "--against", "old.jsonl"), "  Copy it before you grade"),
    "column for nothing": (("--format", "csv", "--column", "A"), "--column names a column for Canvas or Moodle"),
    "column of no name": (("--format", "moodle", "--column", " "), "--column names a column for Canvas or Moodle"),
    "no results": (("--against", "notes.txt"), "notes.txt: this holds no results of a batch"),
    "unsaid": (("--format", "csv", "--against", "old.jsonl"), "who moves is said in the summary"),
    "one file for two": (("--output", "a.csv", "--report", "a.csv"), "a.csv: this is wanted for two things"),
    "over the results": (("--format", "csv", "--output", "class.grades.jsonl"), "this is wanted for two things"),
    "a pipe": (("--output", "pipe.jsonl"), "pipe.jsonl: this holds no results of a batch"),
    "no workers": (("--workers", "0"), "Invalid value for '--workers'"),
    "no seed": (("--seed", "-1"), "Invalid value for '--seed'"),
    "a word for a seed": (("--seed", "abc"), "'abc' is not a valid whole number"),
    "another format": (("--format", "xml"), "Invalid value for '--format'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_done_is_said_before_anything_is_graded(grade: Place, case: str) -> None:
    """With the file, the remedy, and exit status 2; nothing is made and nothing is changed."""
    words, expected = WRONG[case]
    fill(grade.folder / "class", 1)
    (grade.folder / "notes.txt").write_text("notes")
    (grade.folder / "old.jsonl").write_text("")
    os.mkfifo(grade.folder / "pipe.jsonl")
    before = sorted(grade.folder.rglob("*"))
    done = grade("class", *words, code=2)
    assert expected in done.stderr.decode()
    assert done.stdout == b""
    assert [path for path in sorted(grade.folder.rglob("*")) if ".grade" not in path.parts] == before


@pytest.mark.tool("tmux")
@pytest.mark.parametrize("columns", [80, 50])
def test_a_terminal_shows_how_far_it_is(grade: Place, columns: int) -> None:
    """In one line: how many of how many, how fast, how long yet; gone at the end."""
    fill(grade.folder / "class", {f"s{each:02}.py": f"{SLOW}# {each}\n" for each in range(24)})
    server = str(grade.folder / "tmux")

    def tmux(*args: str) -> str:
        return subprocess.run(["tmux", "-S", server, *args], check=True, capture_output=True, text=True).stdout

    command = [sys.executable, "-m", "grader", "batch", "class", "--course", TINY, "--workers", "2", "--seed", "1"]
    run = f"TMPDIR={grade.scratch} PYTHONPATH={ROOT} {shlex.join(map(str, command))}"
    script = f"cd {grade.folder}; unset NO_COLOR COLUMNS; {run}; echo done-$?; sleep 60"
    seen: set[str] = set()
    try:
        tmux("new-session", "-d", "-x", str(columns), "-y", "60", "sh", "-c", script)
        wait_for(lambda: "done-" in _shown(tmux, seen))
        end = tmux("capture-pane", "-p")
    finally:
        subprocess.run(["tmux", "-S", server, "kill-server"], check=False, capture_output=True)
    paces = [text for text in seen if "/24" in text]
    assert any(re.fullmatch(r"[━╸╺ ]+ *\d+/24 \d+(\.\d)? a second, 0:00:\d\d left\s*", each) for each in paces), paces
    assert all(len(text.rstrip("\n").split("\n")) == 1 for text in paces if "done-" not in text)
    assert "done-0" in end
    assert "/24" not in end
    assert "24 submissions graded" in end


def _shown(tmux: Callable[..., str], seen: set[str]) -> str:
    text = tmux("capture-pane", "-p")
    seen.add(text.strip("\n"))
    return text


# ── a record is a report ───────────────────────────────────────────────────────────────────────────


def test_a_record_is_the_report_that_grade_run_makes(grade: Place) -> None:
    """Of each entry, by the schema, with the same seed: but for its path, the next step's words, and a batch's keys."""
    cases = ["attention-crash-abort", "attention-import-error-torch", "softmax-exits-in-call"]
    for case in cases:
        shutil.copytree(ROOT / "tests" / "submissions" / case, grade.folder / "class" / case)
    shutil.copytree(ROOT / "exercises", grade.folder / "class" / "stubs")
    shutil.copytree(ROOT / "solutions", grade.folder / "class" / "right")
    grade("class", "--seed", "5", course=ROOT)
    schema = json.loads((ROOT / "grader" / "report.schema.json").read_text(encoding="utf-8"))
    validator = Draft202012Validator(schema)
    for name, found in records(grade.folder / "class.grades.jsonl").items():
        validator.validate(found)
        command = [sys.executable, "-m", "grader", "run", "--submission", f"class/{name}", "--seed", "5"]
        done = subprocess.run(
            [*command, "--format", "json"], cwd=grade.folder, env=grade.env, capture_output=True, check=False
        )
        alone = json.loads(done.stdout)
        own = {"student", "identity", "likeness", "submission", "next_step"}
        assert {key: found[key] for key in found if key not in own} == {
            key: alone[key] for key in alone if key not in own
        }
        assert (found["student"], found["submission"]) == (name, name)


def test_records_of_faults_are_reports_too(group: Class) -> None:
    """By the schema, and read as earlier results."""
    fill(group.folder, 1)
    group.clerk.fails = lambda _: GraderError("no worker")
    group.batch()
    schema = json.loads((ROOT / "grader" / "report.schema.json").read_text(encoding="utf-8"))
    (found,) = read_records(group.path)
    Draft202012Validator(schema).validate(found)
    assert (found["graded"], found["score"], found["max_score"]) == (False, 0, 3)


# ── alike ──────────────────────────────────────────────────────────────────────────────────────────


def of(*texts: str, name: str = "unit.py") -> str:
    files = {f"{number}-{name}" if number else name: text for number, text in enumerate(texts)}
    return likeness(read_files("work", {file: lambda _, text=text: text.encode() for file, text in files.items()}))


def test_the_same_code_is_alike() -> None:
    """Whatever the comments, the spacing, the brackets and the file's name; nothing else is."""
    plain = "import numpy as np\ndef unit(v):\n    return v / 2\n"
    for other in (
        "# mine\n\n\nimport numpy as np  # numbers\ndef unit( v ) :\n\n        return (v/2)\n",
        plain.replace("\n", "\r\n"),
        "\ufeff" + plain,
    ):
        assert of(other) == of(plain) != ""
    assert of(plain, name="work.py") == of(plain)
    for other in (
        plain.replace("2", "2.0"),
        plain.replace("v", "w"),
        plain + "x = 1\n",
        plain.replace("return v", "'''Of mine.'''\n    return v"),
    ):
        assert of(other) != of(plain)
    assert len({of(plain), of(plain, "x = 1\n"), of("x = 1\n", plain), of(plain, plain), of("y = 1\n", "x = 1\n")}) == 5


def test_nothing_is_like_what_is_no_code() -> None:
    """Two that do not parse, or hold nothing, have not written the same code."""
    assert of("def (") == of("x = 1\n", "def (") == of() == ""
    assert of(f"x = {'-' * 50_000}1\n") == of(f"x = {'-' * 2_000}1\n") == ""  # deeper than can be looked into
    assert likeness(Submission("", "folder", (), "")) == ""


def test_as_many_are_graded_at_a_time_as_there_are_processors_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a shared machine these are not all it has: with more at work than can run, an answer may come too late."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 7}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert crew.processors() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    assert crew.processors() == 64


def test_those_who_wait_hold_up_nobody(grade: Place) -> None:
    """Submissions that sleep until they are stopped, as many as there are programs, let the others go on."""
    sleeps = "import time\ndef unit(v):\n    time.sleep(60)\n"
    fill(grade.folder / "class", {f"a{number}.py": f"{sleeps}# {number}\n" for number in range(2)})
    fill(grade.folder / "class", {f"b{number:02}.py": unit("right", number) for number in range(30)})
    path = grade.folder / "class.grades.jsonl"
    with grade.begun("class") as program:
        wait_for(lambda: lines(path) >= 30, seconds=60)
        assert not {"a0.py", "a1.py"} & set(records(path))
        program.communicate()
    assert program.returncode == 0
    assert len(records(path)) == 32


def test_turns_are_given_as_far_as_there_may_be_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two at a time and one more for each that takes long, three at most; what waits for that gives its turn later."""
    monkeypatch.setattr(crew, "LONG_SECONDS", 0.02)
    turns, ends = crew.Turns(2, 1), [threading.Event() for _ in range(5)]
    begun: list[int] = []

    def work(number: int) -> None:
        with turns.one():
            begun.append(number)
            assert ends[number].wait(20)

    with ThreadPoolExecutor(5) as pool:
        for number in range(5):
            pool.submit(work, number)
            time.sleep(0.01)
        wait_for(lambda: sorted(begun) == [0, 1, 2])
        time.sleep(0.1)
        assert (len(begun), turns.overtimes) == (3, 1)
        ends[0].set()
        ends[1].set()
        wait_for(lambda: len(begun) == 5)
        for end in ends:
            end.set()
    assert turns.overtimes == 0


def test_the_results_of_another_class_are_not_lost(grade: Place) -> None:
    """A file that holds results, and none of any student of this class, is refused unless all is to start over."""
    fill(grade.folder / "one", {"ada.py": unit("right")})
    fill(grade.folder / "two", {"bob.py": unit("right")})
    grade("one", "--output", "all.jsonl")
    done = grade("two", "--output", "all.jsonl", code=2)
    assert b"all.jsonl: it holds the results of another class" in done.stderr
    assert set(records(grade.folder / "all.jsonl")) == {"ada.py"}
    grade("two", "--output", "all.jsonl", "--fresh")
    assert set(records(grade.folder / "all.jsonl")) == {"bob.py"}
