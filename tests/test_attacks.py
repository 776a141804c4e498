"""Code that tries to get what it has not earned: each attack works where nothing holds it back, and fails here.

An attack is a file of tests/attacks. `attack(target)` goes for what `target` names and gives a word for what it
got. The file is a submission as well, whose function calls `attack` with its own TARGET and prints the word; or
`build(folder, target)` makes the submission. What else it says of itself, as plain constants:

    UNCONFINED  whether it can be shown without harm where nothing confines it (its docstring says why not)
    EARNS       the points that its honest code is worth
    CODE        a mistake that its report must name
    DEPENDS     what a machine must have for it to work at all
    FILE        the name it is handed in by
    ENDS        whether the kernel may end the process for it, rather than refuse
    BESIDE      "suite": shown in a process that holds a hidden suite, as that of other graders does
"""

from __future__ import annotations

import ast
import ctypes
import importlib.util
import json
import os
import re
import resource
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.course import Course, Limits
from grader.grading import Grading
from grader.render import json_text
from grader.report import Report, Response
from grader.submission import read_submission
from grader.suite_runner import Suites, with_suites
from grader.worker.host import Worker
from grader.worker.launch import Warm

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="confinement is built for Linux")

FOLDER = Path(__file__).parent / "attacks"
EXERCISE = "causal_mask"
HONEST = "import numpy as np\n\n\ndef causal_mask(seq_len):\n    return np.tri(seq_len, dtype=bool)\n"
LIMITS = Limits(
    call_cpu_seconds=0.8,
    call_wall_seconds=2.5,
    load_cpu_seconds=2.0,
    load_wall_seconds=4.0,
    exercise_seconds=8.0,
    memory_mebibytes=256,
)
MOST_SECONDS = 15  # a busy machine is no fault
GONE_SECONDS = 0.5  # how long a killed process may take to be gone
MOST_REPORT_BYTES = 2 << 20
MOST_GROWTH_KIBIBYTES = 256 << 10  # of the grader's own memory
SHARED_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/run")
PLACES = ("home", "folder", "others")
SUBREAPER = 36  # linux/prctl.h: orphans of ours become children of ours

# Runs `attack` with nothing to hold it back, and tells what it gave.
UNCONFINED = """
import json, sys, types
path, suite, target = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
if suite:
    suite_module = sys.modules["test_causal_mask"] = types.ModuleType("test_causal_mask")
    exec(compile(open(suite).read(), suite, "exec"), suite_module.__dict__)
space = {"__name__": "handed_in", "__file__": path}
sys.argv[1:] = []
exec(compile(open(path).read(), path, "exec"), space)
got = space["attack"](target)
sys.__stdout__.write("\\nRETURNED:" + json.dumps(got) + "\\n")
"""

# Holds a secret in its environment, its memory and an open file, until its standard input closes.
VICTIM = "import sys; file = open(sys.argv[1]); secret = file.read(); print('ready', flush=True); sys.stdin.read()"


# ── what an attack says of itself ──────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Attack:
    """One file of tests/attacks, and the constants in it."""

    path: Path
    unconfined: bool
    earns: float
    code: str = ""
    depends: str = ""
    file: str = f"{EXERCISE}.py"
    beside: str = ""
    ends: bool = False

    @property
    def builds(self) -> bool:
        """Whether it makes its submission, rather than being it."""
        return "\ndef build(" in self.path.read_text(encoding="utf-8")

    @property
    def reports(self) -> bool:
        """Whether its function prints what it got."""
        return "ATTACK:" in self.path.read_text(encoding="utf-8")


def read_attack(path: Path) -> Attack:
    """Read the constants without running a line of it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        node.targets[0].id.lower(): ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    return Attack(path, **{name: value for name, value in constants.items() if name in Attack.__slots__})


ATTACKS = [read_attack(path) for path in sorted(FOLDER.glob("*.py"))]
each_attack = pytest.mark.parametrize("attack", ATTACKS, ids=[attack.path.stem for attack in ATTACKS])


# ── what there is to get, and what would be left behind ────────────────────────────────────────────


class Scene:
    """Everything that an attack may go for, made for it, and what can be seen of it from outside afterwards."""

    def __init__(self, folder: Path, course: Course, stack: ExitStack) -> None:
        self.root = folder
        self.course = replace(course, limits=LIMITS)
        self.secret = f"CANARY-{secrets.token_hex(16)}"
        self.abstract = f"grade-attacks-{secrets.token_hex(8)}"
        self.tcp = self._listen(stack, socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        self.udp = self._listen(stack, socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        self.unix = self._listen(stack, socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "socket"))
        self.nameless = self._listen(stack, socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self.abstract}")
        self.canary = folder / "canary.txt"
        self.canary.write_text(self.secret)
        self.open_file = stack.enter_context(self.canary.open())
        os.set_inheritable(self.open_file.fileno(), True)
        self.scratch = folder / "scratch"
        self.scratch.mkdir()
        self.victim: subprocess.Popen[str] | None = None
        self.launcher: Warm
        self.printed = ""
        stack.callback(self.let_go)

    @staticmethod
    def _listen(stack: ExitStack, family: int, kind: int, address: Any) -> socket.socket:
        made = stack.enter_context(socket.socket(family, kind))
        made.bind(address)
        made.setblocking(False)
        if kind == socket.SOCK_STREAM:
            made.listen()
        return made

    def overhear(self, call: Callable[..., Response]) -> Callable[..., Response]:
        """A worker's `call` that also keeps what was printed: reports show that of failed tests alone."""

        def overheard(*args: Any) -> Response:
            response = call(*args)
            self.printed += response.output
            return response

        return overheard

    def let_go(self) -> None:
        """End the process that attacks may go for."""
        if self.victim is not None:
            self.victim.kill()
            self.victim.communicate()
            self.victim = None

    def lay_out(self, folder: Path, parent: int) -> dict[str, Any]:
        """Fresh files and folders for one attack, and the target that names all there is."""
        if self.victim is None:
            command = [sys.executable, "-I", "-S", "-c", VICTIM, str(self.canary)]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            self.victim = subprocess.Popen(command, env={"GRADER_SECRET": self.secret}, text=True, **pipes)  # type: ignore[call-overload]
            assert self.victim.stdout is not None
            self.victim.stdout.readline()
        for name in PLACES:
            (folder / name).mkdir()
        (folder / "home" / "canary.txt").write_text(self.secret)
        (folder / "folder" / "kept.txt").write_text("kept\n")
        (folder / "others" / f"{EXERCISE}.py").write_text(f"# {self.secret}\n{HONEST}")
        return {
            "canary": str(folder / "home" / "canary.txt"),
            "home": str(folder / "home"),
            "folder": str(folder / "folder"),
            "kept": str(folder / "folder" / "kept.txt"),
            "other": str(folder / "others" / f"{EXERCISE}.py"),
            "course": str(self.course.root),
            "suite": str(self.course.exercise(EXERCISE).suite),
            "site": [part for part in sys.path if "site-packages" in part],
            "libraries": [*library_folders()],
            "shared": SHARED_FOLDERS,
            "pid": self.victim.pid,
            "parent": parent or self.victim.pid,
            "grader": os.getpid(),
            "host": "127.0.0.1",
            "port": self.tcp.getsockname()[1],
            "udp": self.udp.getsockname()[1],
            "socket": self.unix.getsockname(),
            "abstract": self.abstract,
            "name": f"grade-attack-{secrets.token_hex(8)}",
            "memory": int(LIMITS.memory_mebibytes + 64) << 20,
            "seconds": 2 * LIMITS.call_cpu_seconds,
        }

    def traces(self, target: Mapping[str, Any], before: Mapping[str, Any], started: set[int]) -> list[str]:
        """What can be seen of an attack that got through, and is then taken away."""
        after = snapshot(Path(target["home"]).parent)
        found = [f"changed {name}" for name in sorted(before.keys() | after) if before.get(name) != after.get(name)]
        found += [f"reached {name}" for name in self._calls()]
        found += [f"left {path}" for path in self._litter(target["name"])]
        found += self._harm_to_the_victim(target["pid"])
        found += [f"left process {pid} ({command})" for pid, command in sorted(left_running(started).items())]
        clear_away(descendants().keys() - started)
        return found

    def _calls(self) -> list[str]:
        """The servers that were reached since the last look."""
        found = []
        for name, server in (("tcp", self.tcp), ("unix", self.unix), ("abstract", self.nameless), ("udp", self.udp)):
            with suppress(BlockingIOError):
                while True:
                    server.recv(4_096) if name == "udp" else server.accept()[0].close()
                    found.append(name)
        return sorted(set(found))

    def _litter(self, name: str) -> list[str]:
        """What lies in folders where others' work lies too; it is removed."""
        found = [Path(folder, name) for folder in SHARED_FOLDERS if Path(folder, name).exists()]
        for path in self.scratch.iterdir():  # the launcher's own folder stays, and is empty
            found += list(path.iterdir()) if str(path) == self.launcher.scratch else [path]
        for path in found:
            subprocess.run(["rm", "-rf", str(path)], check=True)
        return [str(path) for path in found]

    def _harm_to_the_victim(self, pid: int) -> list[str]:
        assert self.victim is not None
        if self.victim.poll() is not None:
            self.let_go()
            return ["ended another process"]
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T":
            os.kill(pid, signal.SIGCONT)
            return ["stopped another process"]
        return []


def library_folders() -> Iterator[str]:
    """Where Python and NumPy lie: what a worker must be able to read, and nobody to write."""
    library, package = Path(os.__file__).parent, Path(np.__file__).parent
    yield from map(str, (library, library / "__pycache__", package, package.parent, sys.prefix))


class Processes(dict[int, str]):
    """Processes by their number, each with its command."""

    def __sub__(self, numbers: set[int]) -> Processes:
        return Processes({pid: command for pid, command in self.items() if pid not in numbers})


def descendants() -> Processes:
    """The children of this process, theirs, and so on; those that ended and are not waited for yet are none."""
    parents: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            command, _, rest = (entry / "stat").read_text().partition("(")[2].rpartition(")")
            state, parent = rest.split()[:2]
            if state not in "ZX":
                parents[int(entry.name)] = int(parent), command
    ours = {os.getpid()}
    while more := {pid for pid, (parent, _) in parents.items() if parent in ours} - ours:
        ours |= more
    return Processes({pid: parents[pid][1] for pid in ours - {os.getpid()}})


def left_running(started: set[int]) -> Processes:
    """What still runs a moment later: what was killed takes a while to be gone."""
    end = time.monotonic() + GONE_SECONDS
    while (left := descendants() - started) and time.monotonic() < end:
        time.sleep(0.02)
    return left


def clear_away(pids: set[int]) -> None:
    """End what an attack left running, each by its number, and wait for what became a child of ours."""
    for pid in pids:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
        with suppress(OSError):
            os.waitpid(pid, 0)


def snapshot(folder: Path) -> dict[str, Any]:
    """Everything that can be seen of the files in a folder, by their names."""
    seen = {}
    for path in sorted(path for name in PLACES for path in (folder / name).rglob("*")):
        about = path.lstat()
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        attributes = os.listxattr(path, follow_symlinks=False)
        seen[str(path.relative_to(folder))] = (
            about.st_mode,
            about.st_uid,
            about.st_gid,
            about.st_mtime_ns,
            data,
            attributes,
        )
    return seen


@pytest.fixture(scope="module")
def scene(course: Course) -> Iterator[Scene]:
    """What attacks go for: secrets in files, processes, the environment and open descriptors; servers."""
    prctl = ctypes.CDLL(None).prctl
    folder = Path(tempfile.mkdtemp(prefix="attacks-"))  # short, as the names of sockets must be
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        made = Scene(folder, course, stack)
        patch.setenv("GRADER_SECRET", made.secret)
        patch.setattr(tempfile, "tempdir", str(made.scratch))
        prctl(SUBREAPER, 1, 0, 0, 0)
        stack.callback(prctl, SUBREAPER, 0, 0, 0, 0)
        patch.setattr(Worker, "call", made.overhear(Worker.call))
        made.launcher = Warm()
        stack.callback(made.launcher.close)
        yield made


@pytest.fixture
def place(scene: Scene) -> Iterator[Path]:
    """A folder for one attack, removed however deep or locked it is."""
    folder = Path(tempfile.mkdtemp(dir=scene.root))
    yield folder
    subprocess.run(["rm", "-rf", str(folder)], check=True)


# ── with nothing to hold it back ───────────────────────────────────────────────────────────────────


@each_attack
def test_the_attack_works_where_nothing_confines_it(attack: Attack, scene: Scene, place: Path) -> None:
    """In a process of its own, with the user's rights, the attack gets what it goes for."""
    if not attack.unconfined:
        assert "Not shown in a plain process" in attack.path.read_text(encoding="utf-8")
        return
    target = scene.lay_out(place, parent=0)
    before, started = snapshot(place), set(descendants())
    ran, returned = run_unconfined(attack, scene, target, place)
    traces = scene.traces(target, before, started)
    ended = returned is None and ran.returncode <= 0  # it ended its process, or became another program
    if attack.depends and not (returned or traces or ended):
        pytest.skip(f"needs {attack.depends}")
    assert returned or traces or ended, ran.stderr[-2_000:]


def run_unconfined(
    attack: Attack, scene: Scene, target: Mapping[str, Any], place: Path
) -> tuple[subprocess.CompletedProcess[str], str | None]:
    """What a plain process does of it, and what `attack` gave; None where it gave nothing."""
    (place / "cwd").mkdir()
    suite = target["suite"] if attack.beside else ""
    with (place / "out").open("w+") as out, (place / "err").open("w+") as err:  # no pipes: what it leaves may hold them
        ran = subprocess.run(
            [sys.executable, "-B", "-c", UNCONFINED, str(attack.path), suite, json.dumps(target)],
            cwd=place / "cwd",
            pass_fds=[scene.open_file.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
            timeout=30,
            check=False,
        )
        out.seek(0)
        err.seek(0)
        text = out.read()
        done = subprocess.CompletedProcess(ran.args, ran.returncode, text, err.read())
    found = re.search(r"^RETURNED:(.*)$", text, re.MULTILINE)
    return done, json.loads(found[1]) if found else None


# ── in the worker ──────────────────────────────────────────────────────────────────────────────────


@each_attack
def test_the_attack_fails_in_the_worker(
    attack: Attack, scene: Scene, place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Graded, it gets nothing, earns what its honest code is worth, leaves no trace, and harms no later one."""
    warm = scene.launcher.program
    target = scene.lay_out(place, parent=warm.pid)
    path = hand_in(attack, target, place)
    before, started = snapshot(place), set(descendants())
    heap, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    scene.printed = ""
    try:
        report, next_report = graded(scene, path, honest(place))
        problems = judge(report, scene.printed, attack, scene.secret)
    except Exception as error:  # noqa: BLE001 - whatever it is, nothing that is handed in may end the grader
        problems = [f"the grader ended by {type(error).__name__}: {str(error)[:200]}"]
        (next_report,) = graded(scene, honest(place))
    if next_report.score != next_report.max_score:
        problems.append("the next, honest submission did not get its points")
    if time.monotonic() - began > MOST_SECONDS:
        problems.append(f"grading took {time.monotonic() - began:.0f} s")
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - heap > MOST_GROWTH_KIBIBYTES:
        problems.append("the grader's memory grew")
    if any(capfd.readouterr()):
        problems.append("something was written where the grader writes")
    if scene.launcher.program is not warm or warm.poll() is not None:
        problems.append("the warm parent was ended")
    problems += scene.traces(target, before, started | {scene.launcher.program.pid})
    assert not problems


def hand_in(attack: Attack, target: dict[str, Any], place: Path) -> Path:
    """The submission: what the attack builds, or its own file with the target filled in."""
    folder = place / "handed-in"
    folder.mkdir()
    if attack.builds:
        spec = importlib.util.spec_from_file_location("attack", attack.path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        built: Path = module.build(folder, target)
        return built
    path = folder / attack.file
    text = attack.path.read_text(encoding="utf-8")
    assert text.count("\nTARGET: dict = {}\n") == 1
    path.write_text(text.replace("\nTARGET: dict = {}\n", f"\nTARGET: dict = {target!r}\n"), encoding="utf-8")
    return path


def honest(place: Path) -> Path:
    """A right submission, by somebody else."""
    path = place / "next" / f"{EXERCISE}.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(HONEST)
    return path


def graded(scene: Scene, *paths: Path) -> list[Report]:
    """The reports of submissions that are graded one after the other, as a class is."""
    exercises = [scene.course.exercise(EXERCISE)]

    def reports(suites: Suites) -> list[Report]:
        grading = Grading(scene.course, suites, scene.launcher, 0)
        return [grading.report(read_submission(path), exercises) for path in paths]

    return with_suites(scene.course, reports, exercises)


def judge(report: Report, printed: str, attack: Attack, secret: str) -> list[str]:
    """What is wrong with a report, from the view of who was attacked."""
    (exercise,) = report.exercises
    text = json_text.render(report)
    got = re.findall(r"^ATTACK:(.*)$", printed, re.MULTILINE)
    codes = [mistake.code for mistake in exercise.mistakes]
    ended = (attack.ends and codes == ["crash"]) or (attack.code and codes == [attack.code] and not got)
    checks = {
        "the report is not graded": report.graded and exercise.status != "not-graded",
        f"it got {' '.join(filter(None, got))!r}": not any(got),
        "it printed nothing of what it got": bool(got) or ended or not attack.reports,
        f"it earned {report.score:g}, not {attack.earns:g}": report.score == attack.earns or ended,
        f"its mistakes are {codes}, without {attack.code}": not attack.code or attack.code in codes,
        "the secret is in the report": secret not in text + printed,
        f"the report has {len(text)} characters": len(text.encode()) < MOST_REPORT_BYTES,
    }
    return [problem for problem, holds in checks.items() if not holds]


# ── the collection ─────────────────────────────────────────────────────────────────────────────────


@each_attack
def test_every_attack_says_what_it_tries(attack: Attack) -> None:
    """Its docstring says what it tries, why that is harmless, and how success is seen."""
    words = ast.get_docstring(ast.parse(attack.path.read_text(encoding="utf-8"))) or ""
    assert re.match(r"Tries to [^\n]+\n\nHarmless: .+\nShows: .+", words, re.DOTALL), words
