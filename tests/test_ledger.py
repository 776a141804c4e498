"""The file a batch keeps its results in: nothing lost, nothing twice, and nobody else's file touched."""

from __future__ import annotations

import errno
import json
import os
import random
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader import ledger as module
from grader.errors import GraderError, UsageError
from grader.ledger import check_results, open_ledger, read_records

IDENTITY = "{:032x}".format


def record(name: str, identity: int = 1, *, graded: bool = True, **more: Any) -> dict[str, Any]:
    """As a batch writes one, as far as a ledger looks at it."""
    made = {"schema": 1, "course": "tiny", "graded": graded, "score": 3.0, "student": name, "exercises": []}
    return {**made, "submission": name, "identity": IDENTITY(identity), **more}


def line(*args: Any, **named: Any) -> bytes:
    return json.dumps(record(*args, **named)).encode() + b"\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "class.grades.jsonl"


def names(path: Path) -> list[str]:
    return [json.loads(each)["submission"] for each in path.read_bytes().splitlines()]


def kept(path: Path, submissions: set[str]) -> list[dict[str, Any]]:
    """What the file holds after a batch that graded nothing new."""
    with open_ledger(path, fresh=False) as ledger:
        ledger.keep(submissions)
        return [dict(each) for each in ledger.records()]


# ── what is remembered ─────────────────────────────────────────────────────────────────────────────


def test_results_come_back_as_they_went_in(path: Path) -> None:
    """In this run and in the next, by name, numbers and strange names to the letter."""
    strange = ["b", "a\n\x1b[31m", "c\udcff", "=cmd()", "é" * 200, "\u2028", ""]
    given = [record(name, number, score=0.1 + number) for number, name in enumerate(strange)]
    with open_ledger(path, fresh=False) as ledger:
        for each in given:
            ledger.append(each)
        assert list(ledger.records()) == sorted(given, key=lambda each: each["submission"])
    assert len(path.read_bytes().splitlines()) == len(given)
    assert kept(path, set(strange)) == sorted(given, key=lambda each: each["submission"])
    assert list(read_records(path)) == sorted(given, key=lambda each: each["submission"])


def test_done_is_what_was_graded_as_it_is_now(path: Path) -> None:
    """Another identity, another student or a fault of the grader is not done; each of several that are equal is."""
    path.write_bytes(line("ann", 1) + line("bob", 1) + line("cem", 2, graded=False) + line("dee", 3, platform_id="7"))
    with open_ledger(path, fresh=False) as ledger:
        assert ledger.done(record("ann", 1))
        assert ledger.done(record("bob", 1))
        assert ledger.done(record("dee", 3, platform_id="7"))
        assert not ledger.done(record("dee", 3))
        assert not ledger.done(record("dee", 3, platform_id="8"))
        assert not ledger.done(record("ann", 1, student="anne"))
        assert not ledger.done(record("ann", 2))
        assert not ledger.done(record("cem", 2))
        assert not ledger.done(record("eve", 1))
        assert ledger.twin(IDENTITY(2)) is None
        assert (ledger.twin(IDENTITY(3)) or {})["submission"] == "dee"
        ledger.append(record("dee", 4))
        assert not ledger.done(record("dee", 3))
        ledger.append(record("ann", 1, graded=False))
        assert not ledger.done(record("ann", 1))


def test_memory_holds_no_results(path: Path) -> None:
    """Of a long record only where it is, what it is called and what it is a result of."""
    with open_ledger(path, fresh=False) as ledger:
        ledger.append(record("ann", notes="x" * 1_000_000))
        held = json.dumps([ledger.places, ledger.identities])
        assert len(held) < 200


def test_each_result_is_on_the_disk_before_the_next(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is told to keep each line, and the line is whole by then."""
    sizes: list[int] = []
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (sizes.append(os.fstat(file).st_size), sync(file)))
    with open_ledger(path, fresh=False) as ledger:
        for name in "abc":
            ledger.append(record(name))
    assert sizes == [len(line("a")) * number for number in (1, 2, 3)]


# ── what was cut off, or damaged ───────────────────────────────────────────────────────────────────


def test_a_file_may_end_anywhere(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut at any byte, whole lines are kept and the rest is as if it had never been written."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    lines = [line("ann", 1), line("bob", 2, note="é"), line("cem", 3)]
    whole = b"".join(lines)
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        before = [each for each in lines if whole[:cut].startswith(whole[: whole.index(each) + len(each)])]
        with open_ledger(path, fresh=False) as ledger:
            ledger.append(record("dee", 4))
        assert path.read_bytes() == b"".join(before) + line("dee", 4)


@pytest.mark.parametrize(
    "damage",
    [
        b"\n",
        b"\0" * 200 + b"\n",
        b"\xff\xfe" * 50 + b"\n",
        b'{"schema": 1, "course"\n',
        b"[1, 2]\n",
        b"null\n",
        b"[" * 100_000 + b"\n",
        line("bob")[:-20] + b"\n",
        line("bob").replace(b'"score": 3.0', b'"score": NaN'),
        line("bob").replace(b'"score": 3.0', b'"score": "3"'),
        line("bob").replace(b'"submission": "bob"', b'"submission": ["bob"]'),
        line("bob").replace(b'"graded": true', b'"graded": "no"'),
        line("bob").replace(IDENTITY(1).encode(), b"not hexadecimal"),
        line("bob").replace(b'"identity"', b'"identify"'),
    ],
)
def test_a_damaged_line_is_nobodys(path: Path, damage: bytes) -> None:
    """It is passed over, its submission is not done, and it is gone when the batch ends."""
    path.write_bytes(line("ann", 1) + damage + line("cem", 3))
    with open_ledger(path, fresh=False) as ledger:
        assert not ledger.done(record("bob")) or b"bob" not in damage
        ledger.append(record("bob", 2))
        ledger.keep({"ann", "bob", "cem"})
    assert names(path) == ["ann", "bob", "cem"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.booleans())), st.sets(st.sampled_from("abc")))
@settings(max_examples=60, deadline=None)
def test_at_the_end_each_has_one_line_and_it_is_the_last(
    tmp_path_factory: pytest.TempPathFactory, given: list[tuple[str, int, bool]], there: set[str]
) -> None:
    """Whatever was written before, and whoever is not there any more."""
    path = tmp_path_factory.mktemp("ledger") / "results.jsonl"
    last = {name: record(name, identity, graded=graded) for name, identity, graded in given}
    path.write_bytes(b"".join(line(name, identity, graded=graded) for name, identity, graded in given))
    expected = [last[name] for name in sorted(last) if name in there]
    assert kept(path, there) == expected
    assert sorted(names(path)) == [each["submission"] for each in expected]


def test_what_is_kept_is_kept_whole_or_not_at_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped, or without room, while the file is written anew: the old one is there, and nothing beside it."""
    before = line("ann", 1) + line("bob", 2) + line("ann", 3)
    path.write_bytes(before)
    real = module._write

    def full(file: Any, data: bytes) -> None:
        real(file, data[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for stop, raised in ((full, GraderError), (_interrupt, KeyboardInterrupt)):
        monkeypatch.setattr(module, "_write", stop)
        with pytest.raises(raised), open_ledger(path, fresh=False) as ledger:
            ledger.keep({"ann", "bob"})
        assert path.read_bytes() == before
        assert list(path.parent.iterdir()) == [path]
    monkeypatch.undo()
    assert [each["identity"] for each in kept(path, {"ann", "bob"})] == [IDENTITY(3), IDENTITY(2)]


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_no_folder_for_a_new_file_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that takes no new file gives the reason, not a fault of the grader."""
    path.write_bytes(line("ann", 1) + line("ann", 2))

    def refused(**_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(module.tempfile, "mkstemp", refused)
    with pytest.raises(GraderError, match="cannot be written: Permission denied"):
        kept(path, {"ann"})


def test_links_and_modes_stay(path: Path, tmp_path: Path) -> None:
    """A teacher's link to another disk stays one, and what only they may read stays theirs."""
    elsewhere = tmp_path / "elsewhere.jsonl"
    elsewhere.write_bytes(line("ann", 1) + line("ann", 2))
    elsewhere.chmod(0o600)
    path.symlink_to(elsewhere)
    kept(path, {"ann"})
    assert path.is_symlink()
    assert names(elsewhere) == ["ann"]
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o600


# ── a disk without room ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("room", [0, 1, 50])
def test_a_full_disk_leaves_whole_lines(path: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """Of a line for which there is no room nothing stays, and afterwards it can be written."""
    path.write_bytes(line("ann"))
    real = module._write

    def write(file: Any, data: bytes) -> None:
        real(file, data[:room])
        raise OSError(errno.ENOSPC, "No space left on device")

    with open_ledger(path, fresh=False) as ledger:
        monkeypatch.setattr(module, "_write", write)
        with pytest.raises(GraderError, match="No space left on device") as caught:
            ledger.append(record("bob"))
        assert "the same command goes on" in caught.value.remedy
        assert path.read_bytes() == line("ann")
        monkeypatch.undo()
        ledger.append(record("bob"))
    assert path.read_bytes() == line("ann") + line("bob")


def test_a_disk_may_take_a_line_in_parts(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system does not take at once is given to it again."""
    with open_ledger(path, fresh=False) as ledger:

        class Slow:
            def __getattr__(self, name: str) -> Any:
                return getattr(file, name)

            def write(self, data: memoryview) -> int:
                return int(file.write(data[:7]))

        file: Any = ledger.file
        ledger.file = Slow()  # type: ignore[assignment]
        ledger.append(record("ann"))
        ledger.file = file
    assert path.read_bytes() == line("ann")


# ── whose file it is ───────────────────────────────────────────────────────────────────────────────

FOREIGN = [
    b"my notes, dear to me",
    b"my notes\nof two lines\n",
    b"\n",
    b"\0",
    b"\x89PNG\r\n\x1a\n",
    b"{}",
    b"{}\n",
    b"[]\n",
    b'{"schema": 1}\n',
    b'{\n  "schema": 1,\n  "course": "tiny"\n}\n',
    b"student,score\nann,3\n",
    b"x" * (2 << 20),
]


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("content", FOREIGN)
def test_a_foreign_file_stays_as_it_is(path: Path, content: bytes, fresh: bool) -> None:
    """Also where it has no line end, and where all is to start over."""
    path.write_bytes(content)
    with pytest.raises(UsageError, match="holds no results of a batch"), open_ledger(path, fresh=fresh) as ledger:
        ledger.append(record("ann"))
    assert path.read_bytes() == content


@pytest.mark.parametrize("content", FOREIGN)
def test_a_foreign_file_has_no_earlier_results(path: Path, content: bytes) -> None:
    """It is said, where otherwise everyone would be new."""
    path.write_bytes(content)
    with pytest.raises(UsageError, match="holds no results of a batch"):
        list(read_records(path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name here")
def test_neither_a_folder_nor_a_pipe_is_a_file(path: Path) -> None:
    """A pipe is not waited for."""
    os.mkfifo(path)
    for call in (check_results, lambda path: open_ledger(path, fresh=False).__enter__()):
        with pytest.raises(UsageError, match="holds no results"):
            call(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(UsageError, match="holds no results"):
        check_results(path)
    with pytest.raises(GraderError, match="cannot be written: Is a directory"):
        open_ledger(path, fresh=False).__enter__()


@pytest.mark.parametrize("length", [0, 1, 5, 14, 40])
def test_a_first_line_cut_short_is_ours(path: Path, length: int) -> None:
    """A batch that was killed at its first result goes on."""
    path.write_bytes(line("ann")[:length])
    with open_ledger(path, fresh=False) as ledger:
        ledger.append(record("ann"))
    assert path.read_bytes() == line("ann")


def test_lines_begin_as_they_are_told_by(course: Any) -> None:
    """What a batch writes is known again by its first bytes, a fault of the grader too."""
    from grader.batch import not_graded
    from grader.desk import Terms

    assert module._line(not_graded(course, Terms(), "why")).startswith(module.BEGINNING)
    assert line("ann").startswith(module.BEGINNING)


# ── starting over ──────────────────────────────────────────────────────────────────────────────────


def test_what_is_to_start_over_goes_with_the_first_new_result(path: Path) -> None:
    """Not before: a batch that cannot begin takes nothing away."""
    before = line("ann", 1) + line("bob", 2)
    path.write_bytes(before)
    with open_ledger(path, fresh=True) as ledger:
        assert not ledger.done(record("ann"))
        assert ledger.twin(IDENTITY(1)) is None
    assert path.read_bytes() == before
    with open_ledger(path, fresh=True) as ledger:
        ledger.append(record("ann", 1))
        assert path.read_bytes() == line("ann", 1)
        ledger.keep({"ann"})
    assert path.read_bytes() == line("ann", 1)


# ── alone ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_second_batch_is_refused(path: Path) -> None:
    """While one writes, also after it wrote the file anew; and not afterwards."""
    path.write_bytes(line("ann", 1) + line("ann", 2))
    with open_ledger(path, fresh=False) as ledger:
        for _ in range(2):
            with pytest.raises(GraderError, match="another batch is writing"), open_ledger(path, fresh=True):
                pass
            ledger.keep({"ann"})
        assert names(path) == ["ann"]
    with open_ledger(path, fresh=False):
        pass


def test_who_waited_at_the_door_does_not_write_into_a_file_that_is_gone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another batch ended, and put a new file there, between the opening and the lock of this one."""
    path.write_bytes(line("ann", 1) + line("ann", 2))
    real = os.open

    def late(*args: Any) -> int:
        descriptor = real(*args)
        monkeypatch.undo()
        kept(path, {"ann"})
        return descriptor

    monkeypatch.setattr(module.os, "open", late)
    with pytest.raises(GraderError, match="another batch"), open_ledger(path, fresh=False):
        pass
    assert names(path) == ["ann"]


def test_a_disk_without_locks_will_do(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A network disk that has none is no reason not to grade."""
    fcntl = pytest.importorskip("fcntl")

    def none(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    with open_ledger(path, fresh=False) as ledger:
        ledger.append(record("ann"))
    assert names(path) == ["ann"]


# ── killed ─────────────────────────────────────────────────────────────────────────────────────────


# Results of twenty students, over and over, each round ended as a batch ends.
WRITER = """
import sys
from pathlib import Path
from grader.ledger import open_ledger
print(flush=True)
for number in range(1_000_000):
    with open_ledger(Path(sys.argv[1]), fresh=False) as ledger:
        for name in map(str, range(20)):
            more = {"student": name, "submission": name, "identity": f"{number:032x}"}
            ledger.append({"schema": 1, "graded": True, "score": 3.0, "exercises": [], **more})
        ledger.keep(set(map(str, range(20))))
"""


def test_killed_at_any_moment_no_student_is_lost(path: Path, root: Path) -> None:
    """Twenty times, also while the file is written anew: whoever was there once is there, with a whole result."""
    chance, everyone = random.Random(0), {str(number) for number in range(20)}
    path.write_bytes(b"".join(line(name) for name in everyone))
    for _ in range(20):
        command = [sys.executable, "-c", WRITER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(root)}) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(chance.uniform(0, 0.1))
            writer.kill()
        assert {each["submission"] for each in read_records(path)} == everyone
    assert len(kept(path, everyone)) == 20
