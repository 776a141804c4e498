"""Milliseconds that Landlock and seccomp cost a worker: to start it, from the fork to its hello, and to ask it once.

    python tests/benchmarks/confinement_cost.py [RUNS]

Two programs are asked in turn, A B A B …, so that a drifting machine hits both. One has all that confines; the other is
started where the kernel answers that it has neither (`under` of tests/test_isolation.py). A filter costs a little at
each system call, so the first has one too, as long and of calls that nobody makes. The goal: 2 ms a worker at most.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from grader.course import Limits  # noqa: E402 - only now is there a path to it
from grader.worker.host import Job, Worker  # noqa: E402
from grader.worker.launch import Launcher, make_launcher  # noqa: E402

WORLDS = {"confined": "nothing", "without": "landlock+seccomp"}  # what is taken away
WARM_UP = 10
SOURCE = {"name": "main", "file": "main.py", "text": "def f(x): return x", "statements": False, "problem": ""}


def main(runs: int = 200) -> None:
    """Print the medians side by side, and their difference."""
    with ExitStack() as stack:
        programs = {world: stack.enter_context(started(calls)) for world, calls in WORLDS.items()}
        print("{:<10} {}".format("", "   ".join(f"{world}: {ask(programs[world], 'what')}" for world in WORLDS)))
        print("{:<10} {:>10} {:>10} {:>10}   median of {}".format("ms", *WORLDS, "difference", runs))
        for what in ("start", "call"):
            taken: dict[str, list[float]] = {world: [] for world in WORLDS}
            for _ in range(WARM_UP + runs):
                for world, program in programs.items():
                    taken[world].append(float(ask(program, what)))
            confined, without = (statistics.median(taken[world][WARM_UP:]) for world in WORLDS)
            print(f"{what:<10} {confined:>10.3f} {without:>10.3f} {confined - without:>10.3f}")


def started(calls: str) -> subprocess.Popen[str]:
    """The program that measures, in a world without these calls."""
    from tests.test_isolation import under

    command = [*under(calls), __file__, "measure"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def ask(program: subprocess.Popen[str], what: str) -> str:
    """One answer. At the end of its questions a program ends by itself."""
    program.stdin.write(what + "\n")
    program.stdin.flush()
    return program.stdout.readline().rstrip()


def measure() -> None:
    """Answer each question: `start` and `call` take so many milliseconds, `what` is the isolation there is."""
    launcher = make_launcher()
    job = Job((SOURCE,), (), "main", "f")
    try:
        with Worker(launcher, job, Limits()) as worker:
            worker.load()
            answers = {
                "start": lambda: start(launcher, job),
                "call": lambda: call(worker),
                "what": lambda: worker.hello.isolation,
            }
            for line in sys.stdin:
                print(answers[line.strip()](), flush=True)
    finally:
        launcher.close()


def start(launcher: Launcher, job: Job) -> float:
    """Milliseconds from asking for a fork to the worker's hello; ending it is not counted."""
    with Worker(launcher, job, Limits()) as worker:
        began = time.perf_counter()
        worker._start()
        return (time.perf_counter() - began) * 1e3


def call(worker: Worker) -> float:
    """Milliseconds of one call of a function that does nothing, with an array of four numbers."""
    began = time.perf_counter()
    worker.call([np.zeros((2, 2))], {})
    return (time.perf_counter() - began) * 1e3


if __name__ == "__main__":
    measure() if sys.argv[1:] == ["measure"] else main(*map(int, sys.argv[1:]))
