"""`grade batch --dask`: the same records from a real Dask cluster, whatever becomes of its machines meanwhile."""

from __future__ import annotations

import json
import os
import pickle
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from grader import __version__, cluster, crew, errors
from grader.desk import Terms
from tests.benchmarks.classroom import make_class

ROOT = Path(__file__).parents[1]
TINY = ROOT / "tests" / "courses" / "tiny"
PROGRAM = "from grader.service import main"  # what a grader's program shows in a list of processes
SEED = 7_654_321_987_654
STARTED: list[subprocess.Popen[str]] = []
SLOW_CLASS = 20
SLOW = "import time\ntime.sleep(0.2)\n"


@pytest.fixture(autouse=True, scope="module")
def distributed() -> None:
    pytest.importorskip("distributed")


pytestmark = pytest.mark.tool()  # Dask's package, which the fixture above asks for


class Machines:
    """A scheduler and workers, each a program with a log, on this machine."""

    def __init__(self, folder: Path, **env: str) -> None:
        self.folder = folder
        self.programs: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        self.scheduler = self._start("dask_scheduler", "--port", "0", "--scheduler-file", str(file), **env)
        until(file.exists)
        self.address = str(json.loads(file.read_text(encoding="utf-8"))["address"])

    def worker(self, *options: str, **env: str) -> subprocess.Popen[bytes]:
        """Start one, or several, and wait until the first has joined."""
        before = self.log().count("Registered to")
        program = self._start("dask_worker", self.address, "--nthreads", "1", *options, **env)
        until(lambda: self.log().count("Registered to") > before)
        return program

    def log(self) -> str:
        return "".join(file.read_text(encoding="utf-8") for file in sorted(self.folder.glob("*.log")))

    def ask(self, code: str) -> str:
        """What a program prints that has a `client` of the scheduler."""
        script = f"from distributed import Client\nwith Client({self.address!r}) as client:\n    {code}"
        return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    def tasks(self) -> list[str]:
        """What the scheduler has to do, or has done for somebody."""
        keys = self.ask("print(*client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks)))")
        return keys.split()

    def desks(self) -> list[int]:
        """The grader's programs of all workers, by process number."""
        return [number for program in self.programs for number in children(program.pid) if is_desk(number)]

    def close(self) -> None:
        for program in reversed(self.programs):
            program.terminate()
        for program in self.programs:
            program.wait(20)

    def _start(self, what: str, *options: str, **env: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{what}", "--host", "127.0.0.1", "--no-dashboard", *options]
        if what == "dask_worker":
            command += ["--local-directory", str(self.folder)]
        with (self.folder / f"{len(self.programs)}.log").open("wb") as log:
            environment = {**os.environ, "PYTHONPATH": str(ROOT), **env}
            program = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, env=environment)
        self.programs.append(program)
        return program


@contextmanager
def started(folder: Path, **env: str) -> Iterator[Machines]:
    folder.mkdir(exist_ok=True)
    machines = Machines(folder, **env)
    try:
        yield machines
    finally:
        machines.close()


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """A scheduler and two worker processes, each with its nanny."""
    with started(tmp_path_factory.mktemp("machines")) as made:
        made.worker("--nworkers", "2", "--nanny")
        until(lambda: made.log().count("Registered to") == 2)
        yield made


def until(holds: Callable[[], Any], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def children(number: int) -> list[int]:
    """All processes below one."""
    import psutil

    try:
        return [child.pid for child in psutil.Process(number).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def command_of(number: int) -> str:
    import psutil

    try:
        return " ".join(psutil.Process(number).cmdline())
    except psutil.Error:
        return ""


def is_desk(number: int) -> bool:
    return PROGRAM in command_of(number)


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "grader", "batch", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    pipe = subprocess.PIPE
    program = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, encoding="utf-8", env=environment)
    STARTED.append(program)
    return program


@pytest.fixture(autouse=True)
def nothing_goes_on() -> Iterator[None]:
    """What a test that failed has left running ends with it."""
    yield
    while STARTED:
        with STARTED.pop() as program:
            program.kill()


def grade(*arguments: str | Path) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    program = start(*arguments)
    out, err = program.communicate(timeout=300)
    return program.returncode, out, err


def results(file: Path) -> dict[str, Any]:
    """Each line's record by student; no student has two."""
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    found = {record["student"]: record for record in records}
    assert len(found) == len(records)
    return found


def lines(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


def make_tiny_class(folder: Path, size: int, extra: str = "") -> Path:
    """So many small submissions to the tiny course, every other one wrong."""
    right = (TINY / "answers" / "unit.py").read_text(encoding="utf-8")
    for number in range(size):
        place = folder / f"student-{number:03}"
        place.mkdir(parents=True)
        text = right if number % 2 else right.replace("np.sqrt", "")
        (place / "unit.py").write_text(f"{extra}{text}\n# by student {number}\n", encoding="utf-8")
    return folder


def locally(folder: Path, *options: str | Path) -> dict[str, Any]:
    """What a batch on this machine makes of a class."""
    file = folder.parent / f"{folder.name}.here.jsonl"
    status, _, err = grade(folder, *options, "--format", "json", "--output", file)
    assert status == 0, err
    return results(file)


# ── the same records ───────────────────────────────────────────────────────────────────────────────


def test_a_killed_worker_changes_nothing(machines: Machines, tmp_path: Path) -> None:
    """300 submissions give the records of a local batch, receipts included, though a worker is killed half-way."""
    make_class(tmp_path / "class", 300, looping=0)
    file = tmp_path / "class.grades.jsonl"
    batch = start(tmp_path / "class", "--dask", machines.address, "--seed", str(SEED))
    until(lambda: lines(file) > 150, 200)
    inode = file.stat().st_ino
    victim = next(number for number in children(machines.programs[1].pid) if "spawn_main" in command_of(number))
    orphans = [number for number in children(victim) if is_desk(number)]
    assert orphans
    os.kill(victim, signal.SIGKILL)
    batch.communicate(timeout=200)
    assert batch.returncode == 0
    assert file.stat().st_ino == inode  # never written anew: no submission had two lines in it
    assert results(file) == locally(tmp_path / "class", "--seed", str(SEED))
    until(lambda: not any(map(is_desk, orphans)))


def test_two_batches_on_one_cluster(machines: Machines, tmp_path: Path) -> None:
    """Batches of different seeds and courses, at one time on the same workers, do not disturb one another."""
    tiny = make_tiny_class(tmp_path / "tiny", 30)
    make_class(tmp_path / "whole", 20, looping=0)
    ways = [(tiny, "--course", TINY, "--seed", "1"), (tmp_path / "whole", "--seed", "2")]
    batches = [start(*way, "--dask", machines.address) for way in ways]
    for batch in batches:
        batch.communicate(timeout=120)
        assert batch.returncode == 0
    for folder, *options in ways:
        assert results(tmp_path / f"{folder.name}.grades.jsonl") == locally(folder, *options)


@pytest.fixture(scope="module")
def slow_results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a batch on this machine makes of a class that takes its time."""
    folder = make_tiny_class(tmp_path_factory.mktemp("slow") / "class", SLOW_CLASS, SLOW)
    return locally(folder, "--course", TINY, "--seed", str(SEED))


# ── what is left behind ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_batch_that_ends_early_leaves_nothing_behind_and_resumes(
    machines: Machines, tmp_path: Path, slow_results: dict[str, Any], how: signal.Signals
) -> None:
    """Where the command is killed or interrupted the scheduler forgets its tasks, the workers end its programs."""
    folder = make_tiny_class(tmp_path / "class", SLOW_CLASS, SLOW)
    file = tmp_path / "class.grades.jsonl"
    options = (folder, "--course", TINY, "--seed", str(SEED), "--dask", machines.address)
    batch = start(*options)
    until(lambda: lines(file) >= 5)
    batch.send_signal(how)
    _, err = batch.communicate(timeout=20)
    if how == signal.SIGINT:
        assert batch.returncode == 130
        assert len(err.splitlines()) == 1
    done = lines(file)
    assert done < SLOW_CLASS
    until(lambda: not machines.tasks())
    until(lambda: not machines.desks(), crew.REST_SECONDS * 3 + 5)
    status, _, err = grade(*options)
    assert status == 0
    assert len(err.splitlines()) == 1
    assert results(file) == slow_results


# ── who does not answer, or should not ─────────────────────────────────────────────────────────────


def nobody() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"tcp://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (nobody(), "no answer within"),
        ("nowhere", "missing port number"),
        ("", "missing port number"),
        ("http://127.0.0.1:1", "unknown address scheme"),
        (nobody().replace("tcp", "tls"), "certificates"),
    ],
    ids=["nobody", "a name", "nothing", "a page", "no certificates"],  # not the ports, which are others each time
)
def test_no_scheduler(tmp_path: Path, address: str, said: str) -> None:
    """An address where no scheduler answers is said with its remedy, soon, and with nothing of Dask's beside it."""
    began = time.monotonic()
    status, out, err = grade(make_tiny_class(tmp_path / "class", 1), "--course", TINY, "--dask", address)
    assert (status, out) == (2, "")
    assert said in err
    assert re.fullmatch(r"grade: .*: no Dask scheduler answers: .*\n  \S.*\n", err)
    assert time.monotonic() - began < cluster.CONNECT_SECONDS + 10


def test_what_answers_is_no_scheduler(machines: Machines, tmp_path: Path) -> None:
    """A server that says nothing, or is a worker, is told from a scheduler."""
    folder = make_tiny_class(tmp_path / "class", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        assert "no answer within" in grade(folder, "--course", TINY, "--dask", address)[2]
    worker = re.findall(r"Start worker at: +(\S+)", machines.log())[-1]
    status, _, err = grade(folder, "--course", TINY, "--dask", worker)
    assert status == 2
    assert "no Dask scheduler but a worker" in err


def test_workers_are_for_this_machine(tmp_path: Path) -> None:
    """--workers and --dask exclude one another."""
    folder = make_tiny_class(tmp_path / "class", 1)
    status, _, err = grade(folder, "--course", TINY, "--dask", "tcp://127.0.0.1:1", "--workers", "2")
    assert status == 2
    assert "--workers is for this machine" in err


def test_a_cluster_without_workers_is_waited_for(tmp_path: Path) -> None:
    """Where there is no worker yet that is said once; when one comes grading begins. A scheduler's end is said too."""
    folder = make_tiny_class(tmp_path / "class", 30, SLOW)
    file = tmp_path / "class.grades.jsonl"
    with started(tmp_path / "machines") as machines:
        batch = start(folder, "--course", TINY, "--seed", "3", "--dask", machines.address)
        assert batch.stderr is not None
        assert select.select([batch.stderr], [], [], 60)[0]
        assert "no worker at the moment" in batch.stderr.readline()
        machines.worker()
        until(lambda: lines(file) >= 3)
        machines.scheduler.kill()
        _, err = batch.communicate(timeout=60)
    assert batch.returncode == 2
    assert re.fullmatch(
        rf"grade: {machines.address}: the Dask scheduler is gone.*\n  {re.escape(cluster.GO_ON)}\n", err
    )
    assert len(results(file)) == lines(file) >= 3


# ── machines that are not alike ────────────────────────────────────────────────────────────────────


@pytest.fixture
def other(tmp_path: Path) -> str:
    """A folder with another version of the package."""
    shutil.copytree(ROOT / "grader", tmp_path / "other" / "grader", ignore=shutil.ignore_patterns("__pycache__"))
    init = tmp_path / "other" / "grader" / "__init__.py"
    init.write_text(init.read_text(encoding="utf-8").replace(__version__, "0.0.7"), encoding="utf-8")
    return str(tmp_path / "other")


@pytest.fixture
def without(tmp_path: Path) -> str:
    """A folder on whose path there is no package of ours."""
    (tmp_path / "without").mkdir()
    hide = "import sys\nsys.modules['grader'] = None\n"
    (tmp_path / "without" / "sitecustomize.py").write_text(hide, encoding="utf-8")
    return str(tmp_path / "without")


def test_a_worker_of_another_version(tmp_path: Path, other: str) -> None:
    """A worker that would grade with something else ends the batch with one error, though it joins later."""
    folder = make_tiny_class(tmp_path / "class", 40, SLOW)
    file = tmp_path / "class.grades.jsonl"
    options = (folder, "--course", TINY, "--seed", "3", "--dask")
    with started(tmp_path / "machines") as machines:
        good = machines.worker()
        batch = start(*options, machines.address)
        until(lambda: lines(file) >= 3)
        machines.worker(PYTHONPATH=other)
        _, err = batch.communicate(timeout=60)
        assert batch.returncode == 2
        assert re.match(rf"grade: {socket.gethostname()}: this worker grades with grader 0\.0\.7 ", err)
        assert err.endswith(f"{crew.SAME} {cluster.GO_ON}\n")
        assert {record["receipt"]["grader"] for record in results(file).values()} == {__version__}
        good.terminate()
        good.wait(20)
        status, _, err = grade(*options, machines.address)
        assert status == 2
        assert "what would grade is grader 0.0.7 " in err
        assert f"here is grader {__version__} " in err


def test_a_worker_without_the_package(tmp_path: Path, without: str) -> None:
    """A worker that cannot import the package ends the batch with one error and the remedy, and itself stays alive.

    A task that fails is written to the worker's log, but neither the seed nor what was handed in. The scheduler needs
    no package of ours.
    """
    folder = make_tiny_class(tmp_path / "class", 2)
    options = (folder, "--course", TINY, "--seed", str(SEED), "--dask")
    with started(tmp_path / "machines", PYTHONPATH=without) as machines:
        lacking = machines.worker("--worker-port", "0", PYTHONPATH=without)
        status, _, err = grade(*options, machines.address)
        assert (status, len(err.splitlines())) == (2, 2)
        assert "cannot run this package (ModuleNotFoundError: " in err
        assert crew.SAME in err
        until(lambda: re.search(r"Compute Failed\s+Key: +grade-[0-9a-f]{32}\s", machines.log()))
        assert str(SEED) not in machines.log()
        assert "student" not in machines.log()
        assert "Lost all workers" not in machines.log()
        lacking.terminate()
        lacking.wait(20)
        machines.worker()
        assert grade(*options, machines.address)[0] == 0


def test_terms_do_not_show_their_seed() -> None:
    """What a log says of terms leaves out the seed."""
    assert str(SEED) not in repr(Terms(seed=SEED, secret=True))


@pytest.mark.parametrize(
    "error",
    [
        errors.GraderError("what", where="here", remedy="so"),
        errors.UsageError("what", where="here"),
        errors.CourseError(["one", "two"], where="here", remedy="so"),
        errors.ClusterError("what", remedy="so"),
    ],
)
def test_an_error_crosses_machines_whole(error: errors.GraderError) -> None:
    """An error of the grader's that was pickled says what it said."""
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert type(again) is type(error)
    assert (str(again), vars(again), again.args) == (str(error), vars(error), error.args)


# ── the page on clusters ───────────────────────────────────────────────────────────────────────────


def test_the_laptops_lines_run(tmp_path: Path) -> None:
    """The lines of docs/cluster.md for one's own machine, on a free port, grade a class."""
    page = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    shown = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)[0]
    commands = "\n".join(line for line in shown.splitlines() if not line.startswith("pip "))
    port = nobody().rpartition(":")[2]
    make_class(tmp_path / "hand-ins", 2, looping=0)
    script = commands.replace("8786", port) + "\nstatus=$?; kill %2; wait %2; kill %1; wait %1; exit $status\n"
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    bash = ["bash", "-c", f"set -m\n{script}"]
    done = subprocess.run(bash, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert len(results(tmp_path / "hand-ins.grades.jsonl")) == 2
