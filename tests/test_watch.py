"""Grading on every save: what changed, how saves are noticed, a view that keeps its place, keys, and the way out.

The golden views in tests/golden/watch are written anew by `python -m tests.test_watch`; read the difference.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader import saves
from grader.changes import changes
from grader.cli.watch_session import Session
from grader.cli.work import launcher
from grader.course import load_course
from grader.progress import PROGRESS
from grader.render.lines import cells
from grader.render.live import View, frame, told_in_lines
from grader.report import Mistake, Report
from grader.saves import Saves
from grader.state import load_state
from tests.terminal import Emulated
from tests.test_render import CASES

GRADE = [sys.executable, "-W", "error", "-c", "from grader.cli import main; main(prog_name='grade')"]
SLOWLY = "import time; from grader.watch import Watch as W; end = W.close; W.close = lambda w: (end(w), time.sleep(1))"
LINGERING = [*GRADE[:-1], f"{SLOWLY}; {GRADE[-1]}"]  # with time for a key while it ends
GOLDEN = Path(__file__).parent / "golden" / "watch"
NAMES = ("softmax", "causal_mask", "attention")
NAIVE = (
    "import numpy as np\ndef softmax(x, axis=-1):\n    e = np.exp(x)\n    return e / e.sum(axis=axis, keepdims=True)\n"
)
ENDLESS = "def softmax(x, axis=-1):\n    while True: pass\n"


# ── what changed ───────────────────────────────────────────────────────────────────────────────────


def view(before: str, after: str, **parts: Any) -> View:
    report = CASES[after]()
    focus = next((each.name for each in report.exercises if each.status != "passed"), "")
    made = View("Attention from the Math Up", "Graded at 14:02:31 in 0.12 s.", "Watching by file events.", report)
    made = replace(made, focus=focus, file=f"exercises/{focus}.py")
    return replace(made, changes=changes(CASES[before](), report) if before and report.graded else None, **parts)


def test_what_a_save_changed() -> None:
    """Points by exercise, checks that pass or fail now, mistakes that are gone; each way undoes the other."""
    stubs, partial = CASES["stubs"](), CASES["partial"]()
    forth, back = changes(stubs, partial), changes(partial, stubs)
    assert [each.points for each in forth] == [-each.points for each in back]
    won, lost = (
        [test.name for one in ways for test in one] for ways in ([c.passed for c in forth], [c.failed for c in back])
    )
    assert won == lost != []
    assert sum(each.points for each in forth) == partial.score - stubs.score
    assert [[each.code for each in one.new] for one in forth] == [["overflow"], ["hides-self"]]  # no state of a stub
    assert not [each for one in back for each in one.gone]  # points were lost: it only cannot be seen
    assert changes(partial, partial) == ()


def test_of_a_fault_of_the_graders_nothing_is_said() -> None:
    """What could not be graded neither won nor lost points."""
    full = CASES["full"]()
    broken = replace(full.exercises[0], status="not-graded", score=0.0)
    assert changes(full, replace(full, exercises=(broken, *full.exercises[1:]))) == ()
    assert changes(replace(full, exercises=(broken, *full.exercises[1:])), full) == ()


HIDDEN = {
    "syntax-error": "skipped",
    "missing-function": "skipped",
    "import-error": "skipped",
    "not-implemented": "skipped",
    "timeout": "skipped",
    "crash": "failed",
    "out-of-memory": "failed",
    "raises": "failed",
}


@pytest.mark.parametrize("after", [*HIDDEN, "unexplained"])
@pytest.mark.parametrize("before", ["timeout", "wrong-shape"])
def test_a_mistake_is_gone_only_where_it_could_have_shown(before: str, after: str) -> None:
    """One failure in place of another is no success: where nothing answers, nothing is known of the mistake."""
    full = CASES["full"]()
    softmax = full.exercises[0]

    def failing(code: str) -> Report:
        tests = tuple(replace(each, points=0.0, outcome=HIDDEN.get(code, "failed")) for each in softmax.tests)
        named = (Mistake(code, "matched", code, ""),)
        return replace(full, exercises=(replace(softmax, score=0.0, status="failed", tests=tests, mistakes=named),))

    gone = [each.code for one in changes(failing(before), failing(after)) for each in one.gone]
    assert gone == ([before] if after == "unexplained" else [])
    assert [each.code for one in changes(failing(before), full) for each in one.gone] == [before]


# ── the view ───────────────────────────────────────────────────────────────────────────────────────

VIEWS: dict[str, Callable[[], View]] = {
    "first": lambda: view("", "stubs"),
    "better": lambda: view("stubs", "partial"),
    "worse": lambda: view("full", "partial"),
    "same": lambda: view("partial", "partial"),
    "again": lambda: view("partial", "partial", saved=False),
    "full": lambda: view("partial", "full"),
    "gone": lambda: view("stubs", "partial", notice="exercises/ is not there. Grading goes on when it is back."),
    "hint": lambda: view(
        "stubs", "partial", hint="softmax: 14 of 30 points\n\nMistake found: so\nHint 1 of 4\n\nThink."
    ),
    "fault": lambda: view("full", "grader-error"),
    "waiting": lambda: View("Attention from the Math Up", "Grading …", "Watching by file events."),
}
SIZES = {"80x24": (80, 24), "50x30": (50, 30)}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("case", VIEWS)
def test_views_are_the_golden_ones(case: str, size: str) -> None:
    """Every case is drawn as the view that was looked at and found good."""
    assert drawn(case, size) == (GOLDEN / f"{case}.{size}.txt").read_text(encoding="utf-8")


def drawn(case: str, size: str) -> str:
    width, height = SIZES[size]
    return "\n".join(frame(VIEWS[case](), width=width, height=height, colour=False).lines) + "\n"


@pytest.mark.parametrize("case", VIEWS)
@pytest.mark.parametrize("size", [(20, 6), (33, 10), (50, 24), (80, 12), (80, 24), (120, 60)])
def test_a_view_fits_and_all_of_it_can_be_reached(case: str, size: tuple[int, int]) -> None:
    """No more rows than the terminal has, lines to paste wrapped by it; page by page every line is shown once."""
    width, height = size
    whole = frame(VIEWS[case](), width=width, height=10_000, colour=False).lines[2:-2]
    shown, skipped = [], 0
    for _ in range(500):
        made = frame(replace(VIEWS[case](), skipped=skipped), width=width, height=height, colour=False)
        assert sum(max(1, -(-cells(line) // width)) for line in made.lines) <= max(height, saves_room(width))
        shown += made.lines
        skipped = made.following
        if not skipped:
            break
    assert not skipped
    assert [line for line in whole if line.strip() and line not in shown and cells(line) <= width] == []


def saves_room(width: int) -> int:
    """Rows below which no terminal is drawn for: title, status, one line, keys."""
    return 10 if width < 40 else 8


def test_colour_is_an_addition() -> None:
    """Without it the same words are there."""
    coloured = frame(VIEWS["better"](), width=80, height=60, colour=True).lines
    plain = frame(VIEWS["better"](), width=80, height=60, colour=False).lines
    assert "\x1b[" in "".join(coloured)
    assert "\x1b[" not in "".join(plain)
    assert len(coloured) == len(plain)


def test_lines_tell_what_the_view_does() -> None:
    """Without a terminal: the points, and what the save changed."""
    better = VIEWS["better"]()
    assert better.report is not None
    text = told_in_lines(better.report, better.changes, width=80)
    assert text.startswith("total: ")
    assert "points won" in text
    assert all(len(line) <= 80 for line in text.splitlines())


# ── noticing saves ─────────────────────────────────────────────────────────────────────────────────


class Heard:
    """Counts how often it was woken."""

    def __init__(self) -> None:
        self.event = threading.Event()

    def __call__(self) -> None:
        self.event.set()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / "softmax.py").write_text("one")
    return tmp_path / "exercises"


@pytest.fixture
def watching(folder: Path) -> Iterator[tuple[Saves, Heard]]:
    heard = Heard()
    made = Saves(folder, heard)
    deadline = time.monotonic() + 20
    (folder / "first.txt").write_text("is the thread listening?")
    while not heard.event.wait(0.2) and time.monotonic() < deadline:
        (folder / "first.txt").write_text("now?")
    made.look()
    time.sleep(0.3)
    heard.event.clear()
    yield made, heard
    made.close()


def write_over(path: Path) -> None:
    path.write_text("two")


def rename_over(path: Path) -> None:
    path.with_name(".softmax.py.swp").write_text("two")
    path.with_name(".softmax.py.swp").replace(path)


def move_away_and_write(path: Path) -> None:
    path.rename(path.with_name("softmax.py~"))
    path.write_text("two")


def burst(path: Path) -> None:
    for number in range(20):
        path.write_text("x" * number)


SAVES = [write_over, rename_over, move_away_and_write, burst]


@pytest.mark.parametrize("save", SAVES)
def test_file_events_tell_of_every_way_to_save(
    folder: Path, watching: tuple[Saves, Heard], save: Callable[[Path], None]
) -> None:
    """Written over, renamed over, moved away first, or many times in a row: woken once, seen once, then quiet."""
    made, heard = watching
    save(folder / "softmax.py")
    assert heard.event.wait(5)
    assert made.look()
    assert made.by_events
    assert not made.look()


@pytest.mark.parametrize("save", SAVES)
def test_looking_finds_every_way_to_save(folder: Path, save: Callable[[Path], None]) -> None:
    """Where no file events are asked for."""
    made = Saves(folder, Heard(), poll=True)
    assert not made.by_events
    assert not made.look()
    save(folder / "softmax.py")
    assert made.look()
    assert not made.look()


def write_in_place(path: Path) -> None:
    """Another text of the same size, in the same file, at the same time: a clock that was set back, say."""
    before = path.stat()
    with path.open("r+") as file:
        file.write("eno")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_save_that_leaves_size_and_time_as_they_were(folder: Path, watching: tuple[Saves, Heard]) -> None:
    """It is seen by looking and by an event, even one that is all there is to tell of it."""
    made, heard = watching
    polling = Saves(folder, Heard(), poll=True)
    write_in_place(folder / "softmax.py")
    assert heard.event.wait(5)
    assert polling.look()
    made.seen = saves.sight(folder)
    assert made.look()


@pytest.mark.parametrize("bound", ["MOST_ENTRIES", "MOST_FOLDERS"])
def test_in_a_crowded_folder_what_was_graded_is_looked_at(
    folder: Path, watching: tuple[Saves, Heard], bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever else there is; what an event names is seen too, and it is known that there was too much."""
    made, heard = watching
    (folder / "more").mkdir()
    for number in range(20):
        (folder / "more" / f"a{number}.py").write_text("x")
    assert not saves.Saves(folder, Heard(), poll=True).crowded
    monkeypatch.setattr(saves, bound, 1)
    polling = Saves(folder, Heard(), poll=True)
    polling.first = made.first = ("softmax.py", "more/a7.py", "gone.py")
    for each in (polling, made):
        each.look()
        assert each.crowded
    for name in ("softmax.py", "more/a7.py"):
        assert not polling.look()
        write_over(folder / name)
        assert polling.look()
    time.sleep(1)
    made.look()
    heard.event.clear()
    (folder / "new.py").write_text("x")
    assert heard.event.wait(5)
    assert made.look()
    assert made.by_events


@pytest.mark.skipif(sys.platform != "linux", reason="counts inotify's watches")
def test_links_to_folders_are_not_followed(folder: Path, tmp_path: Path) -> None:
    """Neither by file events nor by looking: nothing behind them is graded."""
    for number in range(300):
        (tmp_path / "library" / f"f{number}").mkdir(parents=True)
    (folder / "x").symlink_to(tmp_path / "library")
    wait_for(lambda: inotify_watches() == 0)  # those of tests before take a moment to go
    made = Saves(folder, Heard())
    wait_for(lambda: made.events is not None and made.events.ready)
    assert inotify_watches() == 1
    assert made.by_events
    made.close()


def inotify_watches() -> int:
    return sum(path.read_text().count("inotify wd:") for path in Path("/proc/self/fdinfo").iterdir() if path.exists())


def wait_for(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_events_come_from_folders_made_later(folder: Path, watching: tuple[Saves, Heard]) -> None:
    """Folders that come and go are listened to as they do, and no event is missed for long."""
    made, heard = watching
    (folder / "more").mkdir()
    assert heard.event.wait(5)
    made.look()
    wait_for(lambda: made.events is not None and made.events.ready)
    heard.event.clear()
    write_over(folder / "more" / "softmax.py")
    assert heard.event.wait(5)
    assert made.look()
    shutil.rmtree(folder / "more")
    assert made.look()
    wait_for(lambda: made.events is not None and made.events.ready)
    heard.event.clear()
    write_over(folder / "softmax.py")
    assert heard.event.wait(5)
    assert made.by_events


def test_what_is_no_source_is_no_save(folder: Path) -> None:
    """An editor's own files, byte code, other files; but a source in a folder below is one."""
    made = Saves(folder, Heard(), poll=True)
    for name in (".softmax.py.swp", "softmax.py~", "4913", "notes.txt"):
        (folder / name).write_text("x")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "softmax.py").write_text("x")
    assert not made.look()
    (folder / "more").mkdir()
    (folder / "more" / "softmax.py").write_text("x")
    assert made.look()


def test_a_file_system_without_events_is_found_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found by looking and never announced: from then on it is looked for, and said to be."""

    class Silent:
        broken, ready = False, True

        def __init__(self, folders: frozenset[str], _: object) -> None:
            self.folders = folders

        def heard(self) -> frozenset[str]:
            return frozenset()

        def close(self) -> None: ...

    monkeypatch.setattr(saves, "_Events", Silent)
    monkeypatch.setattr(saves, "LATE_SECONDS", 0.2)
    made = Saves(folder, Heard())
    assert made.by_events
    write_over(folder / "softmax.py")
    assert made.look()
    time.sleep(0.3)
    made.look()
    assert not made.by_events
    burst(folder / "softmax.py")
    assert made.look()


def test_events_that_cannot_be_had_are_done_without(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more watches to be had, say: looking serves."""
    import watchfiles

    def none_left(*_: object, **__: object) -> None:
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr(watchfiles, "watch", none_left)
    heard = Heard()
    made = Saves(folder, heard)
    assert heard.event.wait(5)
    assert not made.by_events
    write_over(folder / "softmax.py")
    assert made.look()


def test_a_folder_that_goes_and_comes_back(folder: Path) -> None:
    """Gone is seen, and so is the return; file events are asked for anew."""
    heard = Heard()
    made = Saves(folder, heard)
    shutil.rmtree(folder)
    assert made.look()
    assert not made.there
    assert not made.look()
    folder.mkdir()
    (folder / "softmax.py").write_text("back")
    assert made.look()
    assert made.there
    assert made.by_events
    made.close()


# ── in a terminal ──────────────────────────────────────────────────────────────────────────────────

Start = Callable[..., Emulated]


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Path:
    (tmp_path / "work" / "exercises").mkdir(parents=True)
    for name in NAMES:
        shutil.copy(root / "exercises" / f"{name}.py", tmp_path / "work" / "exercises")
    return tmp_path / "work"


@pytest.fixture
def watch(root: Path, workspace: Path) -> Iterator[Start]:
    """`grade watch` in a terminal, once the first report is there."""
    started: list[Emulated] = []

    def start(*args: str, until: str = "Graded at", grade: Sequence[str] = GRADE, **options: object) -> Emulated:
        made = Emulated([*grade, "watch", *args], workspace, PYTHONPATH=str(root), **options)
        started.append(made)
        made.until(until)
        return made

    yield start
    for each in started:
        each.close()


def save(workspace: Path, text: str, name: str = "softmax") -> None:
    (workspace / "exercises" / f"{name}.py").write_text(text, encoding="utf-8")


def solve(workspace: Path, root: Path, *names: str) -> None:
    for name in names or NAMES:
        save(workspace, (root / "solutions" / f"{name}.py").read_text(encoding="utf-8"), name)


@pytest.mark.parametrize("method", [(), ("--poll",)], ids=["events", "poll"])
def test_every_save_gets_a_report(watch: Start, workspace: Path, root: Path, method: tuple[str, ...]) -> None:
    """The points, what the save changed, the mistake, in a view that never scrolls; status 0 with all points."""
    shown = watch(*method)
    assert ("by file events" in shown.text) is not bool(method)
    assert ("by looking four times a second" in shown.text) is bool(method)
    assert "0 of 100" in shown.text
    save(workspace, NAIVE)
    text = shown.until("softmax: 23 points won")
    assert "now pass: 10 checks worth 23 points" in text
    assert "now named: Exponentiates" in text
    solve(workspace, root, "softmax")
    text = shown.until("softmax: 7 points won")
    assert "mistake gone: Exponentiates" in text
    save(workspace, "def softmax(x, axis=-1)\n")
    assert "not run now: 12 checks worth 30 points" in shown.until("softmax: 30 points lost")
    save(workspace, NAIVE)
    shown.until("softmax: 23 points won")
    save(workspace, "def softmax(x, axis=-1):\n    return x\n")
    assert "now fail: 10 checks worth 23 points" in shown.until("softmax: 23 points lost")
    solve(workspace, root)
    shown.until("Full marks")
    shown.type("n")
    shown.until("Nothing is left to solve here")
    assert shown.scrolled == 0
    shown.type("q")
    assert shown.end() == 0
    assert shown.given_back
    assert "100 of 100 points." in shown.text
    assert shown.written.count(b"\x1b[?1049h") == shown.written.count(b"\x1b[?1049l") == 1
    assert len(PROGRESS.load(workspace)[0].tries) >= 5


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (50, 30), (60, 12)])
@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}], ids=["colour", "no colour"])
def test_the_view_fits_the_terminal(
    watch: Start, workspace: Path, columns: int, lines: int, env: dict[str, str]
) -> None:
    """Title at the top, keys at the foot, page by page; colour only where it is wanted."""
    save(workspace, NAIVE)
    shown = watch(columns=columns, lines=lines, **env)
    pages = [shown.text]
    for _ in range(12):
        shown.type(" ")
        shown.read(0.3)
        pages.append(shown.text)
    for text in pages:
        assert text.startswith("Attention from the Math Up\nGraded at")
        assert "h " in text.splitlines()[-1]
    assert "softmax(np.array([1000.0, 1001.0]))" in "\n".join(pages)
    assert pages.count(pages[0]) >= 2
    assert shown.scrolled == 0
    assert (b"\x1b[3" in shown.written or b"\x1b[1m" in shown.written) is not bool(env)


def test_keys(watch: Start, workspace: Path) -> None:
    """A hint from the ladder of `grade hint`, the next exercise, a run without a save, and the way out: status 1."""
    save(workspace, NAIVE)
    shown = watch(lines=40)
    shown.type("h")
    assert "Press h for the next one." in shown.until("Hint 1 of")
    shown.type("h")
    shown.until("Hint 2 of")
    assert load_state(workspace)[0].rungs["softmax"] == {"overflow": 2}
    shown.type("n")
    assert "Hint" not in shown.until("read the docstring of causal_mask")
    shown.type("n")
    shown.until("read the docstring of attention")
    shown.type("n")
    shown.until("softmax ──")
    shown.type("\x1b[Az")  # an arrow and a letter that mean nothing
    shown.type("R")
    assert "last save" not in shown.until("Graded again: nothing has changed.")
    save(workspace, f"{NAIVE}#")
    shown.until("The last save changed no points.")
    shown.type("q")
    assert shown.end() == 1
    assert shown.given_back
    assert len(PROGRESS.load(workspace)[0].tries) == 2


def test_a_report_of_an_older_save_is_not_shown(workspace: Path, root: Path) -> None:
    """One that was ready when a newer save was seen: it would look like the newer save's, until that has one."""
    solve(workspace, root)
    with launcher() as workers:
        session = Session(workspace, load_course(root), workers, [], poll=True)
        with closing(session.saves), closing(session.watch):
            session._read()
            wait_for(lambda: not session.messages.empty())
            save(workspace, ENDLESS)
            session._look()
            assert session._take(session.messages.get())
            assert session.report is None
            assert session.status == "Grading …"


SLOW = """
import time
from grader.cli import main
from grader.render import live
frame = live.frame
live.frame = lambda *args, **named: time.sleep(60) or frame(*args, **named)
main(prog_name="grade")
"""


def test_keys_are_served_while_a_view_is_drawn(workspace: Path, root: Path) -> None:
    """However long that takes."""
    shown = Emulated([sys.executable, "-c", SLOW, "watch"], workspace, PYTHONPATH=str(root))
    shown.read(2)
    shown.type("q")
    began = time.monotonic()
    shown.end()
    assert time.monotonic() - began < 10
    assert shown.given_back
    shown.close()


@pytest.fixture
def patient(root: Path, tmp_path: Path) -> Path:
    """The course, with calls that may take longer than any of these tests waits."""
    for name in ("exercises", "solutions", "grader"):
        shutil.copytree(root / name, tmp_path / "course" / name, ignore=shutil.ignore_patterns("__pycache__"))
    text = (root / "course.yml").read_text(encoding="utf-8")
    text = text.replace("call_cpu_seconds: 2\n", "call_cpu_seconds: 59\n").replace(
        "call_wall_seconds: 10", "call_wall_seconds: 59"
    )
    (tmp_path / "course" / "course.yml").write_text(text, encoding="utf-8")
    assert text.count("59") == 2
    return tmp_path / "course"


def test_a_save_ends_a_run_that_is_under_way(watch: Start, workspace: Path, root: Path, patient: Path) -> None:
    """A loop without end that is saved over is not waited for, nor is it an attempt."""
    shown = watch("--course", str(patient))
    save(workspace, ENDLESS)
    shown.until("Grading")
    shown.read(0.4)
    solve(workspace, root, "softmax")
    shown.until("softmax: 30 points won", seconds=20)
    assert [each.parts["softmax"].score for each in PROGRESS.load(workspace)[0].tries] == [0, 30]
    save(workspace, ENDLESS)
    shown.until("Grading")
    shown.type("q")
    assert shown.end() == 1
    assert shown.given_back


STOPS: dict[str, tuple[list[str | int], int]] = {  # what is typed or sent, and the exit status
    "Ctrl-C": (["\x03"], 0),
    "q and Ctrl-C": (["q\x03"], 0),
    "terminated": ([signal.SIGTERM], 143),
    "terminated, impatiently": ([signal.SIGTERM] * 3, 143),
    "hung up": ([signal.SIGHUP], 129),
    "Ctrl-backslash": (["\x1c"], -signal.SIGQUIT),
    "Ctrl-backslash thrice": (["\x1c\x1c\x1c"], -signal.SIGQUIT),
    "a signal of the user's": ([signal.SIGUSR1], -signal.SIGUSR1),
}


@pytest.mark.parametrize("stop", STOPS)
def test_stopped_it_gives_the_terminal_back(watch: Start, workspace: Path, root: Path, stop: str) -> None:
    """Ctrl-C ends as q does, also while a run is under way; told to stop, it ends as programs do."""
    solve(workspace, root)
    shown = watch()
    save(workspace, ENDLESS)
    shown.until("Grading")
    ways, status = STOPS[stop]
    for way in ways:
        if isinstance(way, str):
            shown.type(way)
        else:
            shown.program.send_signal(way)
    assert shown.end() == status
    assert shown.given_back
    assert shown.written.count(b"\x1b[?1049h") == shown.written.count(b"\x1b[?25h\x1b[?1049l") == 1
    assert "Traceback" not in shown.text


@pytest.mark.parametrize("times", [3, 30])
@pytest.mark.parametrize("pause", [0, 0.002])
def test_interrupted_at_once_again_and_again(watch: Start, times: int, pause: float) -> None:
    """Ctrl-C while it ends already interrupts nothing that gives the terminal back."""
    shown = watch(grade=LINGERING)
    if not pause:
        shown.type("\x03" * times)
    for _ in range(times if pause else 0):
        shown.type("\x03")
        shown.read(pause)
    shown.end()
    assert shown.given_back
    assert b"\x1b[?1049h" not in shown.written.rpartition(b"\x1b[?1049l")[2]
    assert b"\x1b[?1049l" in shown.written
    assert "Traceback" not in shown.text


@pytest.mark.parametrize("pause", [0.005, 0.01, 0.02, 0.03, 0.05])
def test_interrupted_while_it_ends_the_status_is_that_of_its_report(
    watch: Start, workspace: Path, root: Path, pause: float
) -> None:
    """Also in the last moments, in which Python itself would heed Ctrl-C again."""
    solve(workspace, root)
    shown = watch()
    shown.type("\x03")
    while not shown.given_back:
        time.sleep(0.0005)
    time.sleep(pause)
    shown.type("\x03")
    assert shown.end() == 0


@pytest.mark.tool("bash")
def test_interrupted_while_another_program_has_the_terminal_it_leaves_that_alone(workspace: Path, root: Path) -> None:
    """Paused, a watch that is told to end and go on has no screen to give back."""
    shown = paused(
        workspace, root, '"$@"; echo paused-$?; read go; kill -INT %1; kill -CONT %1; wait; echo over', "-mc"
    )
    shown.until("paused-148")
    before = len(shown.written)
    shown.type("\n")
    shown.until("over")
    assert b"\x1b[?1049l" not in shown.written[before:]
    shown.close()


@pytest.mark.tool("bash")
@pytest.mark.parametrize(("trap", "status"), [("", {0, 129}), ('trap "" HUP; ', {0})])
def test_a_terminal_that_is_closed_is_no_fault_of_the_graders(
    workspace: Path, root: Path, tmp_path: Path, trap: str, status: set[int]
) -> None:
    """It ends as programs do that are hung up on, or as by q; whatever cannot be written then is not missed."""
    solve(workspace, root)
    said = tmp_path / "said"
    script = f'{trap}exec "$@" 2>{said}'
    shown = Emulated(["bash", "-c", script, "bash", *GRADE, "watch"], workspace, PYTHONPATH=str(root))
    shown.until("Graded at")
    os.close(shown.ours)
    assert shown.program.wait(20) in status
    assert said.read_text(encoding="utf-8") == ""
    os.close(shown.theirs)


def test_interrupted_before_the_terminal_has_read_what_gives_it_back(watch: Start) -> None:
    """Ctrl-C throws away what a terminal has not read yet, so that is written once more."""
    shown = watch(grade=LINGERING)
    shown.type("q")
    while not shown.given_back:
        time.sleep(0.001)
    time.sleep(0.2)  # for the words at the end
    shown.type("\x03")
    assert shown.end() == 1
    assert re.search(rb"\x1b\[\?25h\x1b\[\?1049l0 of 100 points\..*how you came\r\nhere\.\r\n\Z", shown.written)
    assert "stopped" not in shown.text


def paused(workspace: Path, root: Path, script: str, *options: str, name: str = "bash") -> Emulated:
    """A watch that a shell's script began as "$@", paused by Ctrl-Z once it has shown a report."""
    shown = Emulated(["bash", *options, script, name, *GRADE, "watch"], workspace, PYTHONPATH=str(root))
    shown.until("Graded at")
    shown.type("\x1a")
    return shown


@pytest.mark.tool("bash")
def test_paused_and_taken_up_again(workspace: Path, root: Path) -> None:
    """Ctrl-Z stops it with the terminal as it was; taken up, it draws its view again and goes on."""
    shown = paused(workspace, root, '"$@"; echo paused-$?; read go; fg; echo ended-$?', "-mc")
    shown.until("paused-148")
    assert shown.given_back
    save(workspace, NAIVE)
    shown.type("\n")
    shown.until("softmax: 23 points won")
    assert not shown.given_back
    shown.type("q")
    shown.until("ended-1")
    assert shown.given_back
    shown.close()


@pytest.mark.tool("bash")
def test_paused_and_sent_to_the_background(workspace: Path, root: Path) -> None:
    """There it goes on without the terminal, which it neither draws on nor waits for; it takes it again in front."""
    shown = paused(workspace, root, '"$@"; read go; bg; read go; jobs -r; read go; fg; echo ended-$?', "-mc")
    shown.read(1)
    shown.type("\n")
    shown.read(1)
    drawn = shown.written.count(b"\x1b[?1049h")
    save(workspace, NAIVE)
    shown.read(1)
    shown.type("\n")
    shown.until("Running")
    assert shown.given_back
    assert shown.written.count(b"\x1b[?1049h") == drawn == 1
    shown.type("\n")
    shown.until("softmax: 23 points won")
    shown.type("q")
    shown.until("ended-1")
    assert shown.given_back
    shown.close()


@pytest.mark.tool("bash")
@pytest.mark.parametrize("signals", ["TERM", "HUP"])
def test_told_to_stop_while_paused(workspace: Path, root: Path, signals: str) -> None:
    """It ends, and the terminal, which is the shell's by then, stays as it is."""
    script = '"$@"; echo paused; read go; kill -$0 %1; read go; jobs; echo listed'
    with closing(paused(workspace, root, script, "--norc", "-ic", name=signals)) as shown:
        shown.until("paused")
        shown.type("\n")
        shown.read(3)
        shown.type("\n")
        assert f"Exit {143 if signals == 'TERM' else 129}" in shown.until("listed")
        assert shown.given_back


def test_a_terminal_may_change_its_size(watch: Start) -> None:
    """The view is drawn anew for it."""
    shown = watch()
    shown.resize(50, 20)
    text = shown.until(lambda text: "h hint" in text)
    assert all(len(line) <= 50 for line in text.splitlines())


def test_exercises_that_are_away_for_a_while(watch: Start, workspace: Path, root: Path) -> None:
    """As when another branch is checked out: it says so, waits, and goes on with what came back."""
    shown = watch()
    (workspace / "exercises").rename(workspace / "away")
    shown.until("exercises/ is not there.")
    solve_in = workspace / "away" / "softmax.py"
    solve_in.write_text((root / "solutions" / "softmax.py").read_text())
    (workspace / "away").rename(workspace / "exercises")
    assert "is not there" not in shown.until("softmax: 30 points won")
    save(workspace, NAIVE)
    shown.until("softmax: 7 points lost")


def test_a_workspace_that_is_deleted(watch: Start, workspace: Path) -> None:
    """It ends, with the terminal given back, a kind line, and status 2."""
    shown = watch()
    shutil.rmtree(workspace)
    assert shown.end() == 2
    assert shown.given_back
    assert "the workspace is gone" in " ".join(shown.text.split())
    assert "Traceback" not in shown.text


def test_one_exercise_alone(watch: Start, workspace: Path, root: Path) -> None:
    """`grade watch softmax` has softmax's points for all: status 0."""
    solve(workspace, root, "softmax")
    shown = watch("softmax")
    assert "causal_mask  " not in shown.text
    shown.type("q")
    assert shown.end() == 0


def test_without_keys_ctrl_c_quits(workspace: Path, root: Path) -> None:
    """Standard input is no terminal: nothing is read from it, and the foot says what there is."""
    script = f"import subprocess, sys; sys.exit(subprocess.call({[*GRADE, 'watch']!r}, stdin=subprocess.DEVNULL))"
    shown = Emulated([sys.executable, "-c", script], workspace, PYTHONPATH=str(root))
    shown.until("Ctrl-C quits")
    shown.until("Graded at")
    os.killpg(shown.program.pid, signal.SIGINT)
    shown.end()
    shown.close()


# ── without a terminal ─────────────────────────────────────────────────────────────────────────────


def test_a_pipe_gets_plain_lines_until_interrupted(workspace: Path, root: Path) -> None:
    """A few lines a report, what the save changed among them; no codes; Ctrl-C ends it by the last report."""
    environment = {**os.environ, "PYTHONPATH": str(root), "COLUMNS": "80", "PYTHONUNBUFFERED": ""}
    with subprocess.Popen(
        [*GRADE, "watch"], cwd=workspace, env=environment, stdin=-3, stdout=-1, stderr=-1, text=True
    ) as program:
        assert program.stdout is not None
        lines = iter(program.stdout)
        said = [next(lines), next(lines), next(lines)]
        assert said[0] == f"Watching {workspace / 'exercises'} by file events. Ctrl-C quits.\n"
        solve(workspace, root)
        for line in lines:
            said.append(line)
            if "attention: 50 points won" in line:
                break
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=20)
    assert program.returncode == 0
    assert not err
    assert "\x1b" not in "".join(said) + out
    assert "total: 0 of 100" in "".join(said)


@pytest.mark.tool("sh")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_are_no_terminal(workspace: Path, root: Path, closed: str) -> None:
    """It watches with what there is, and ends by the last report when it is interrupted."""
    solve(workspace, root)
    shown = Emulated(["sh", "-c", f'exec "$@" {closed}', "sh", *GRADE, "watch"], workspace, PYTHONPATH=str(root))
    wait_for(lambda: bool(PROGRESS.load(workspace)[0].tries))
    shown.read(0.5)
    shown.program.send_signal(signal.SIGINT)
    assert shown.end() == 0
    assert shown.given_back
    assert "failed" not in shown.text
    shown.close()


def test_a_pipe_is_told_of_exercises_that_are_away(workspace: Path, root: Path) -> None:
    """A line when they go, and one when they are back; it is `q` and Ctrl-C alone that end it."""
    environment = {**os.environ, "PYTHONPATH": str(root)}
    with subprocess.Popen(
        [*GRADE, "watch", "--poll"], cwd=workspace, env=environment, stdin=-3, stdout=-1, stderr=-1, text=True
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        while "total: 0 of 100" not in program.stdout.readline():
            pass
        (workspace / "exercises").rename(workspace / "away")
        assert "exercises/ is not there" in program.stderr.readline()
        (workspace / "away").rename(workspace / "exercises")
        assert "grading goes on" in program.stderr.readline()
        program.send_signal(signal.SIGINT)
        program.communicate(timeout=20)
    assert program.returncode == 1


def test_a_file_that_cannot_be_read_is_waited_for(workspace: Path, root: Path) -> None:
    """A source that is a folder, a notebook that is none, bytes that are no text: a report, never the end."""
    (workspace / "exercises" / "softmax.py").unlink()
    (workspace / "exercises" / "softmax.py").mkdir()
    (workspace / "exercises" / "attention.py").write_bytes(b"\xff\xfe\x00")
    (workspace / "exercises" / "work.ipynb").write_text("{")
    with subprocess.Popen(
        [*GRADE, "watch"], cwd=workspace, env={**os.environ, "PYTHONPATH": str(root)}, stdin=-3, stdout=-1, text=True
    ) as program:
        assert program.stdout is not None
        lines = iter(program.stdout)
        assert "total: 0 of 100" in "".join(next(lines) for _ in range(3))
        program.send_signal(signal.SIGINT)
        program.communicate(timeout=20)
    assert program.returncode == 1


def test_a_broken_course_ends_with_status_2(workspace: Path, root: Path, tmp_path: Path) -> None:
    """A suite that cannot be collected is no student's failure."""
    shutil.copytree(root / "tests" / "courses" / "tiny", tmp_path / "tiny")
    for suite in (tmp_path / "tiny").rglob("test_*.py"):
        suite.write_text("import nothing_of_that_name\n")
    done = subprocess.run(
        [*GRADE, "watch", "--course", str(tmp_path / "tiny")],
        cwd=workspace,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "nothing_of_that_name" in done.stderr
    assert "Traceback" not in done.stderr


def test_no_worker_and_no_scratch_folder_is_left(watch: Start, workspace: Path, tmp_path: Path) -> None:
    """After a run that was ended, and after the end."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    shown = watch(TMPDIR=str(scratch))
    save(workspace, ENDLESS)
    shown.until("Grading")
    save(workspace, NAIVE)
    shown.until("softmax: 23 points won")
    shown.type("q")
    shown.end()
    assert list(scratch.iterdir()) == []


def test_the_reports_are_those_of_grade(watch: Start, workspace: Path, root: Path) -> None:
    """Many saves later the points are still those of a fresh run."""
    shown = watch()
    for number in range(6):
        save(workspace, f"{NAIVE}# {number}\n" if number % 2 else (root / "solutions" / "softmax.py").read_text())
        shown.until("23 of 30" if number % 2 else "30 of 30")
    command = [*GRADE, "run", "--format", "json"]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(command, cwd=workspace, env=environment, capture_output=True, text=True, check=False)
    fresh = Report.from_json(json.loads(done.stdout))
    assert len(PROGRESS.load(workspace)[0].tries) == 7
    last = PROGRESS.load(workspace)[0].tries[-1]
    assert {name: part.score for name, part in last.parts.items()} == {
        each.name: each.score for each in fresh.exercises
    }


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for case in VIEWS:
        for size in SIZES:
            (GOLDEN / f"{case}.{size}.txt").write_text(drawn(case, size), encoding="utf-8")
