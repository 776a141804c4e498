"""Student code lives in a process of its own: whatever it does is an answer, and the grader goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.course import Limits
from grader.report import Ended, Huge, Items, Other, Raised, Response
from grader.worker.host import InProcess, Job, Worker
from grader.worker.launch import Fresh, Launcher, Warm, _ask
from grader.worker.script import Script

LIMITS = Limits(
    call_cpu_seconds=0.3,
    call_wall_seconds=1.0,
    load_cpu_seconds=0.5,
    load_wall_seconds=1.5,
    memory_mebibytes=256,
)
X = np.array([[1.0, 2.0], [3.0, 4.0]])

Ask = Callable[..., Response]


def job(text: str, function: str = "f", **others: str) -> Job:
    texts = {"main": text, **others}
    sources = tuple(
        {"name": name, "file": f"{name}.py", "text": source, "statements": False, "problem": ""}
        for name, source in texts.items()
    )
    return Job(sources, (), "main", function)


@pytest.fixture
def work(launcher: Launcher) -> Iterator[Callable[[Job], Worker]]:
    made: list[Worker] = []

    def start(what: Job, limits: Limits = LIMITS) -> Worker:
        made.append(Worker(launcher, what, limits))
        return made[-1]

    yield start
    for worker in made:
        worker.close()


@pytest.fixture
def ask(work: Callable[..., Worker]) -> Ask:
    """Load `def f(...)` from text and call it once."""

    def asked(text: str, *args: Any, **named: Any) -> Response:
        return work(job(text)).call(args or (X,), named)

    return asked


def test_arrays_come_back(ask: Ask) -> None:
    """Values, type and shape of the result are those the function returned."""
    response = ask("def f(x, axis=None):\n return x.sum(axis).astype('f4')", X, axis=0)
    assert isinstance(response.answer, np.ndarray)
    assert response.answer.dtype == np.float32
    assert response.answer.tolist() == [4.0, 6.0]


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        ("[1, 2]", Other("list")),
        ("None", Other("NoneType")),
        ("x.astype(object)", Other("object array")),
        ("x * 1j", Other("complex128 array")),
        ("np.datetime64('2020')", Other("datetime64[Y] array")),
        ("(x, [1])", Other("tuple")),
        ("(x,) * 5", Other("tuple")),
        ("np.zeros(2**20)", Huge((2**20,), "float64")),
        ("np.broadcast_to(x[0, 0], (2**40,))", Huge((2**40,), "float64")),
    ],
)
def test_what_is_no_array_of_real_numbers_is_named(ask: Ask, returned: str, expected: object) -> None:
    """Lists, None, objects, complex numbers and arrays beyond any right size are told apart, never converted."""
    assert ask(f"import numpy as np\ndef f(x): return {returned}").answer == expected


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        ("3", 3),
        ("10**30", 1e30),
        ("True", True),
        ("np.float16(0.5)", 0.5),
        ("x.astype('longdouble')", X.tolist()),
        ("x.astype('>f8')", X.tolist()),
        ("x[::-1, ::-1].T", X[::-1, ::-1].T.tolist()),
        ("np.ma.array(x, mask=False)", X.tolist()),
        ("x.view(type('Mine', (np.ndarray,), {'__eq__': lambda a, b: True}))", X.tolist()),
    ],
)
def test_only_the_numbers_of_a_result_are_looked_at(ask: Ask, returned: str, expected: object) -> None:
    """Numbers, subclasses, foreign byte orders and long doubles arrive as plain arrays."""
    answer = ask(f"import numpy as np\ndef f(x): return {returned}").answer
    assert type(answer) is np.ndarray
    assert answer.tolist() == expected


def test_masked_entries_are_nan(ask: Ask) -> None:
    """A masked entry counts as nan, also in an integer array."""
    answer = ask("import numpy as np\ndef f(x): return np.ma.masked_equal(x.astype(int), 2)").answer
    assert isinstance(answer, np.ndarray)
    assert np.isnan(answer[0, 1])
    assert answer[1].tolist() == [3.0, 4.0]


def test_tuples_keep_their_arrays_for_the_diagnosis(ask: Ask) -> None:
    """Up to four arrays of a tuple come along."""
    answer = ask("def f(x): return x, 2 * x").answer
    assert isinstance(answer, Items)
    assert [array.tolist() for array in answer.arrays] == [X.tolist(), (2 * X).tolist()]


def test_changed_arguments_are_seen_and_ours_are_not_touched(ask: Ask) -> None:
    """The function works on a copy, and what it left of it comes back."""
    given = X.copy()
    response = ask("def f(x):\n x -= 1\n return x", given)
    assert given.tolist() == X.tolist()
    assert response.arguments[0].tolist() == (X - 1).tolist()


def test_a_reshaped_argument_is_seen(ask: Ask) -> None:
    """An argument whose shape or type was changed in place comes back so."""
    assert ask("def f(x):\n x.shape = (4,)\n return x").arguments[0].shape == (4,)


@pytest.mark.parametrize(
    ("body", "kind", "line"),
    [
        ("raise ValueError('no')", "ValueError", 3),
        ("import sys; sys.exit()", "SystemExit", 3),
        ("exit()", "SystemExit", 3),
        ("input()", "EOFError", 3),
        ("import torch", "ImportError", 3),
        ("np.zeros(2**40)", "MemoryError", 3),
        ("f(x)", "RecursionError", 3),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", 3),
        ("x.reshape(3)", "ValueError", 3),
        ("helper.g(x)", "ZeroDivisionError", 2),
    ],
)
def test_exceptions_come_as_words(work: Callable[..., Worker], body: str, kind: str, line: int) -> None:
    """An exception is its kinds, its message and the last line in the student's own files."""
    text = f"import numpy as np, helper\ndef f(x):\n {body}"
    answer = work(job(text, helper="def g(x):\n return 1 / 0")).call([X], {}).answer
    assert isinstance(answer, Raised)
    assert kind in answer.kinds
    assert (answer.file, answer.line) == ("helper.py" if "helper." in body else "main.py", line)


def test_a_hostile_exception_is_still_an_answer(ask: Ask) -> None:
    """An exception whose text cannot be made has none."""
    answer = ask("class E(Exception):\n def __str__(self): raise self\ndef f(x): raise E").answer
    assert answer == Raised("E", ("Exception", "BaseException", "object"), "", "main.py", 3)


@pytest.mark.parametrize(
    ("body", "code", "detail"),
    [
        ("while True: pass", "timeout", "0.3 s of processor time"),
        ("import time; time.sleep(9)", "timeout", "1 s by the clock"),
        ("import os; os._exit(0)", "crash", "exit status 0"),
        ("import os; os._exit(3)", "crash", "exit status 3"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "crash", "SIGKILL"),
        ("import ctypes; ctypes.string_at(0)", "crash", "SIGSEGV"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", "timeout", "by the clock"),
        (
            "import signal; [signal.signal(s, signal.SIG_IGN) for s in (1, 2, 15)]\n while True: pass",
            "timeout",
            "processor",
        ),
    ],
)
def test_what_ends_a_call_is_named(ask: Ask, body: str, code: str, detail: str) -> None:
    """A loop, a sleep and a dead process end the call, not the grader, and say how."""
    answer = ask(f"def f(x):\n {body}").answer
    assert isinstance(answer, Ended)
    assert answer.code == code
    assert detail in answer.detail


def test_processor_time_counts_not_the_clock(work: Callable[..., Worker]) -> None:
    """A call that waits costs nothing until the clock's own, longer limit."""
    assert isinstance(work(job("import time\ndef f(x):\n time.sleep(0.5)\n return x")).call([X], {}).answer, np.ndarray)


def test_after_a_crash_the_next_call_starts_afresh(work: Callable[..., Worker]) -> None:
    """One call's crash costs that call alone."""
    worker = work(job("import os\ndef f(x):\n if x[0, 0] > 1: os._exit(1)\n return x"))
    answers = [worker.call([x], {}).answer for x in (X, X + 1, X)]
    assert [type(answer) for answer in answers] == [np.ndarray, Ended, np.ndarray]


@pytest.mark.parametrize(
    "write",
    [
        "os.write(fd, b'garbage' * 100)",
        "os.write(fd, struct.pack('>II', 2, 0) + b'{}')",
        "os.write(fd, struct.pack('>II', 0xffffffff, 0xffffffff))",
        "os.write(fd, b'\\0')",
        "[os.write(fd, b'x' * 4096) for _ in range(100_000)]",
        "os.write(fd, frame(dict(answer='array', arrays=[['f8', [1]]], left=[], output='', token='x'), b'12345678'))",
    ],
)
def test_a_forged_frame_is_forbidden_never_an_answer(ask: Ask, write: str) -> None:
    """Whatever student code writes to the channel itself ends the worker as forbidden."""
    text = (
        "import os, struct, json\n"
        "def frame(header, body):\n"
        " head = json.dumps(header).encode()\n"
        " return struct.pack('>II', len(head), len(body)) + head + body\n"
        "def f(x):\n"
        " for fd in range(3, 60):\n"
        "  try:\n"
        f"   {write}\n"
        "  except OSError: pass\n"
        " return x\n"
    )
    answer = ask(text).answer
    assert isinstance(answer, Ended)
    assert answer.code in ("forbidden", "timeout")  # a flood may fill the channel until the time is up


def test_a_frame_sent_between_calls_is_forbidden(work: Callable[..., Worker]) -> None:
    """An answer that was there before its question is none."""
    text = (
        "import os, threading, time\n"
        "def late():\n"
        " time.sleep(0.2)\n"
        " for fd in range(3, 60):\n"
        "  try: os.write(fd, b'x')\n"
        "  except OSError: pass\n"
        "def f(x):\n"
        " threading.Thread(target=late, daemon=True).start()\n"
        " return x\n"
    )
    worker = work(job(text))
    assert isinstance(worker.call([X], {}).answer, np.ndarray)
    time.sleep(0.5)
    answer = worker.call([X], {}).answer
    assert isinstance(answer, Ended)
    assert answer.code == "forbidden"


def test_prints_are_kept_in_bounds(work: Callable[..., Worker]) -> None:
    """What the code prints comes with the answer: the start, and how much more there was."""
    worker = work(job("import sys\ndef f(x):\n print('one')\n print('two', file=sys.stderr)\n return x"))
    assert [worker.call([X], {}).output for _ in range(2)] == ["one\ntwo\n"] * 2
    flood = work(job("def f(x):\n for i in range(20_000): print('line', i)\n return x"), Limits()).call([X], {})
    assert len(flood.output) < 70_000
    assert "more lines" in flood.output[-60:]


def test_the_worker_knows_nothing_of_where_it_runs(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """No environment, arguments, path to installed packages or module of the grader; one open descriptor."""
    monkeypatch.setenv("SECRET_OF_THE_GRADER", "x")
    text = (
        "import os, sys\n"
        "def is_open(n):\n"
        " try: return bool(os.fstat(n))\n"
        " except OSError: return False\n"
        "def f(x):\n"
        " print(dict(os.environ), sys.argv, [p for p in sys.path if 'site-packages' in p],\n"
        "  [m for m in sys.modules if m.startswith(('grader', 'pytest', '_pytest'))],\n"
        "  len([n for n in range(64) if is_open(n)]))\n"
        " return x\n"
    )
    output = ask(text).output
    assert output.startswith("{} ['-c'] [] [] 4")
    assert "SECRET" not in output


def test_the_worker_starts_in_an_empty_scratch_folder_that_goes(work: Callable[..., Worker]) -> None:
    """A worker's folder is its own, and is gone with it."""
    worker = work(job("import os\ndef f(x):\n open('mine', 'w').close()\n print(os.getcwd(), os.listdir())\n return x"))
    folder = worker.call([X], {}).output.split()[0]
    assert Path(folder, "mine").exists()
    worker.close()
    assert not Path(folder).exists()


def test_the_library_is_found_after_it_was_looked_for_anew(ask: Ask) -> None:
    """An import finds Python's library also once what was remembered of its folders is forgotten."""
    text = "import importlib\nimportlib.invalidate_caches()\nimport fileinput, wave\ndef f(x):\n return x"
    assert isinstance(ask(text).answer, np.ndarray)


def test_nothing_outlives_its_worker(work: Callable[..., Worker], launcher: Launcher) -> None:
    """Student code can start no process, and its threads end with the worker's."""
    text = "import os, threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\ndef f(x):\n os.fork()"
    worker = work(job(text))
    answer = worker.call([X], {}).answer
    assert isinstance(answer, Raised)
    assert answer.type_name == "PermissionError"
    pid = worker.process.pid
    worker.close()
    assert not Path(f"/proc/{pid}").exists()


def test_nothing_outlives_a_killed_grader(root: Path) -> None:
    """A worker in an endless loop goes with the grader, even where that had no time to end it."""
    script = (
        "from tests.test_worker import *\n"
        "from grader.worker.launch import make_launcher\n"
        "text = 'import os\\nprint(os.getpid())\\ndef f(x):\\n while True: pass'\n"
        "worker = Worker(make_launcher(), job(text), Limits(call_cpu_seconds=30, call_wall_seconds=30))\n"
        "print(worker.load().output, flush=True)\n"
        "worker.call([X], {})\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], cwd=root, stdout=subprocess.PIPE, text=True) as grader:
        assert grader.stdout is not None
        worker = int(grader.stdout.readline())
        time.sleep(0.2)
        grader.kill()
    time.sleep(0.5)
    stat = Path(f"/proc/{worker}/stat")
    assert not stat.exists() or stat.read_text().split()[2] == "Z"


def test_the_warm_parent_is_started_again(work: Callable[..., Worker]) -> None:
    """Student code that kills the parent it was forked from hurts itself alone."""
    worker = work(job("import os, signal\ndef f(x):\n os.kill(os.getppid(), signal.SIGKILL)\n return x"))
    worker.call([X], {})
    worker.close()
    assert isinstance(work(job("def f(x): return x")).call([X], {}).answer, np.ndarray)


def test_loading_says_what_failed_and_keeps_what_was_defined(work: Callable[..., Worker]) -> None:
    """A module that raises after the definition is still called."""
    worker = work(job("def f(x): return x\nprint('loading')\nraise SystemExit(2)"))
    loaded = worker.load()
    assert loaded.callable
    assert loaded.output == "loading\n"
    assert [(name, problem.type_name, problem.line) for name, problem in loaded.problems] == [("main", "SystemExit", 3)]
    assert isinstance(worker.call([X], {}).answer, np.ndarray)


@pytest.mark.parametrize(
    ("text", "code"),
    [("while True: pass", "timeout"), ("import os; os._exit(1)", "crash"), ("x = 'a' * 10**10", "")],
)
def test_a_module_that_never_finishes_is_ended(work: Callable[..., Worker], text: str, code: str) -> None:
    """Loading has limits of its own; running out of memory there is an exception like any other."""
    loaded = work(job("def f(x): return x\n" + text)).load()
    assert (loaded.ended.code if loaded.ended else "") == code


@pytest.mark.parametrize(
    "statement",
    [
        "from exercises.other import g",
        "from other import g",
        "from .other import g",
        "from exercises import other; g = other.g",
        "import other; g = other.g",
        "import exercises.other; g = exercises.other.g",
    ],
)
def test_a_submissions_modules_are_found_by_every_name(work: Callable[..., Worker], statement: str) -> None:
    """The three ways to import a sibling give one and the same module, run once."""
    text = f"{statement}\nimport sys\ndef f(x):\n assert sys.modules['exercises.other'].g is g\n return g(x)"
    worker = work(job(text, other="print('once')\ndef g(x): return 2 * x"))
    assert worker.load().output == "once\n"
    answer = worker.call([X], {}).answer
    assert isinstance(answer, np.ndarray), answer
    assert answer.tolist() == (2 * X).tolist()


def test_circular_imports_work_as_in_python(work: Callable[..., Worker]) -> None:
    """Two modules that import each other load."""
    worker = work(job("import other\ndef f(x): return other.g(x)", other="import main\ndef g(x): return x"))
    assert isinstance(worker.call([X], {}).answer, np.ndarray)


def test_packages_inside_a_submission_work(work: Callable[..., Worker]) -> None:
    """Nested packages and relative imports within them resolve."""
    sources = {
        "main": "from pkg.inner.tool import g\ndef f(x): return g(x)",
        "pkg.inner.tool": "from ..base import g",
        "pkg.base": "def g(x): return x",
    }
    made = tuple({"name": n, "file": n, "text": t, "statements": False, "problem": ""} for n, t in sources.items())
    assert isinstance(work(Job(made, (), "main", "f")).call([X], {}).answer, np.ndarray)


def test_notebook_statements_fail_one_by_one(work: Callable[..., Worker]) -> None:
    """In a notebook a failing statement costs only itself, and `from __future__` holds from there on."""
    text = "from __future__ import annotations\n1/0\ndef f(x: Nope): return x\nundefined\n"
    source = {"name": "main", "file": "work.ipynb", "text": text, "statements": True, "problem": ""}
    loaded = work(Job((source,), (), "main", "f")).load()
    assert loaded.callable
    assert [(problem.type_name, problem.line) for _, problem in loaded.problems] == [
        ("ZeroDivisionError", 2),
        ("NameError", 4),
    ]


def peers(located: str, reference: str = "def g(x): return 10 * x") -> tuple[dict[str, str], ...]:
    return ({"module": "other", "function": "g", "located": located, "reference": reference},)


@pytest.mark.parametrize(
    ("borrow", "other", "factor"),
    [
        ("", "def g(x): return 2 * x", 2),
        ("names", "def g(x): return 2 * x", 10),
        ("names", "raise SystemExit", 10),
        ("modules", "while True: pass", 10),
    ],
)
def test_the_reference_stands_in_where_asked(work: Callable[..., Worker], borrow: str, other: str, factor: int) -> None:
    """The submission's own functions first; borrowed, the reference's are bound to its names or put in as modules."""
    files = job("from other import g\ndef f(x): return g(x)", other=other).sources
    answer = work(Job(files, peers("other"), "main", "f", borrow)).call([X], {}).answer
    assert isinstance(answer, np.ndarray), answer
    assert answer.tolist() == (factor * X).tolist()


def test_a_missing_sibling_is_the_references(work: Callable[..., Worker]) -> None:
    """An import of an exercise that was not handed in finds the reference's."""
    answer = (
        work(Job(job("from exercises.other import g\ndef f(x): return g(x)").sources, peers(""), "main", "f"))
        .call([X], {})
        .answer
    )
    assert isinstance(answer, np.ndarray)
    assert answer.tolist() == (10 * X).tolist()


def test_one_file_that_imports_its_own_function_finds_it(work: Callable[..., Worker]) -> None:
    """In a single file `from other import g` is the g defined above it."""
    text = "def g(x): return 3 * x\nfrom exercises.other import g as h\ndef f(x): return h(x)"
    answer = work(Job(job(text).sources, peers("main", ""), "main", "f")).call([X], {}).answer
    assert isinstance(answer, np.ndarray), answer
    assert answer.tolist() == (3 * X).tolist()


def test_a_name_that_is_missing_stays_missing(work: Callable[..., Worker]) -> None:
    """Borrowing binds names that are there, and adds none."""
    answer = work(Job(job("def f(x): return g(x)").sources, peers(""), "main", "f", "names")).call([X], {}).answer
    assert isinstance(answer, Raised)
    assert answer.type_name == "NameError"


def test_a_fresh_interpreter_serves_as_well() -> None:
    """Where there is no fork, a worker is an interpreter of its own with the same behaviour."""
    with Worker(Fresh(), job("def f(x):\n print('hi')\n return 2 * x"), Limits()) as worker:
        response = worker.call([X], {})
        assert isinstance(response.answer, np.ndarray)
        assert response.output == "hi\n"
        assert "process" in worker.hello.isolation
    with Worker(Fresh(), job("import os\ndef f(x): os._exit(4)"), Limits()) as worker:
        assert worker.call([X], {}).answer == Ended("crash", "ended its process (exit status 4)")


def test_the_stand_in_answers_like_a_worker() -> None:
    """Trusted code in this process gives the same kinds of answers."""
    assert InProcess(lambda x: [x]).call([X], {}).answer == Other("list")
    assert isinstance(InProcess(lambda x: x / 2).call([X], {}).answer, np.ndarray)
    failed = InProcess(lambda x: 1 / 0).call([X], {}).answer
    assert isinstance(failed, Raised)
    assert "ZeroDivisionError" in failed.kinds


DRIBBLES = """
import sys, threading, time
def speak(channel):
    channel.send((1 << 20).to_bytes(4, "big") + bytes(4))
    while True:
        channel.send(b" ")
        time.sleep(0.002)
def f(x):
    threading.Thread(target=speak, args=(sys._getframe(2).f_locals["self"].channel,), daemon=True).start()
    {deed}
    time.sleep(60)
"""


@pytest.mark.parametrize(
    "deed",
    [
        "[open(str(number), 'wb').write(bytes(1 << 20)) for number in range(40)]",
        "[threading.Thread(target=time.sleep, args=(60,), daemon=True).start() for number in range(100)]",
    ],
    ids=["files", "threads"],
)
def test_what_is_taken_is_looked_at_however_busily_it_talks(work: Callable[..., Worker], deed: str) -> None:
    """An answer that comes byte by byte keeps the grader from nothing: the worker is gone long before time is up."""
    worker = work(job(DRIBBLES.format(deed=deed)), Limits(call_wall_seconds=20, scratch_mebibytes=8, threads=16))
    worker.load()
    began = time.monotonic()
    assert isinstance(worker.call((X,), {}).answer, Ended)
    assert time.monotonic() - began < 10


# ── calls that were put before they are made ───────────────────────────────────────────────────────

COUNTS = "calls = 0\ndef f(x, k=0):\n global calls\n calls += 1\n print(calls)\n return x * k"


def put(worker: Worker, *numbers: int) -> None:
    worker.load()
    worker.expect(Script(((X,), {"k": number}) for number in numbers))


def told(worker: Worker, number: int) -> tuple[float, str]:
    response = worker.call((X,), {"k": number})
    assert isinstance(response.answer, np.ndarray)
    return float(response.answer[0, 0]), response.output


def test_an_expected_call_is_made_once_and_in_its_order(work: Callable[..., Worker]) -> None:
    """What was put is not asked again: each answer, and what was printed, belongs to its own call."""
    worker = work(job(COUNTS))
    put(worker, 1, 2, 3)
    process = worker.process
    assert [told(worker, number) for number in (1, 2, 3)] == [(1, "1\n"), (2, "2\n"), (3, "3\n")]
    assert told(worker, 4) == (4, "4\n")
    assert worker.process is process


def test_a_call_that_is_not_made_is_passed_over(work: Callable[..., Worker]) -> None:
    """A test that failed skips its other calls: the next test finds the answers to its own."""
    worker = work(job(COUNTS))
    put(worker, 1, 2, 3)
    process = worker.process
    assert [told(worker, number)[0] for number in (1, 3)] == [1, 3]
    assert worker.process is process


def test_a_call_that_was_not_expected_is_answered_all_the_same(work: Callable[..., Worker]) -> None:
    """What a test asks depends on what it was answered."""
    worker = work(job(COUNTS))
    put(worker, 1, 2, 3)
    process = worker.process
    assert [told(worker, number)[0] for number in (1, 7, 2)] == [1, 7, 2]
    assert worker.process is process


@pytest.mark.parametrize(
    "end", ["import os; os._exit(1)", "while True: pass", "import sys; sys.modules['socket'].socket(fileno=3).close()"]
)
def test_an_end_that_no_call_brought_about_is_none(work: Callable[..., Worker], end: str) -> None:
    """A call that was expected and never made may end the process: the next call is answered by another."""
    worker = work(job(f"def f(x, k=0):\n if k == 2:\n  {end}\n return x * k"))
    put(worker, 1, 2, 3)
    assert [told(worker, number)[0] for number in (1, 3)] == [1, 3]
    assert isinstance(worker.call((X,), {"k": 2}).answer, Ended)


def test_the_call_that_ends_the_process_is_the_one_named(work: Callable[..., Worker]) -> None:
    """Answers before it count; calls after it are put to a new process, one by one."""
    worker = work(job("import os\ndef f(x, k=0):\n if k == 2: os._exit(3)\n return x * k"))
    put(worker, 1, 2, 3)
    assert told(worker, 1)[0] == 1
    assert worker.call((X,), {"k": 2}).answer == Ended("crash", "ended its process (exit status 3)")
    assert told(worker, 3)[0] == 3


def test_more_calls_than_a_channel_holds(work: Callable[..., Worker]) -> None:
    """Questions and answers of many megabytes do not wait for each other."""
    worker = work(job("def f(x): return x"))
    worker.load()
    arrays = [np.full((256, 256), float(number)) for number in range(25)]
    worker.expect(Script(((array,), {}) for array in arrays))
    assert all(np.array_equal(worker.call((array,), {}).answer, array) for array in arrays)


def test_a_killed_grader_leaves_nothing_behind(root: Path, tmp_path: Path) -> None:
    """No process, no folder: the warm parent ends the workers and clears away their scratch folders."""
    case = root / "tests" / "submissions" / "causal-mask-loops-for-ever"
    command = [sys.executable, "-m", "grader", "run", "--submission", str(case)]
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=env, stdout=quiet, stderr=quiet, start_new_session=True) as grader:
        until(lambda: len(list(tmp_path.glob("grade-*/*"))) == 1)
        grader.kill()
    until(lambda: not list(tmp_path.iterdir()))
    until(lambda: not [line for line in processes() if str(tmp_path) in line])


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
def test_a_warm_parent_that_is_replaced_clears_nothing_away(work: Callable[..., Worker], launcher: Any) -> None:
    """What its workers share stays for those of the next, however long it takes to be ended, and after theirs end."""
    first = work(job("def f(x): return x"))
    assert isinstance(first.call([X], {}).answer, np.ndarray)  # by now it is at work
    fork, kill = launcher._fork, launcher.program.kill
    failing = [OSError()]
    launcher._fork = lambda bounds: fork(bounds) if not failing else _raise(failing.pop())
    launcher.program.kill = lambda: (time.sleep(0.5), kill())
    try:
        assert isinstance(work(job("def f(x): return x")).call([X], {}).answer, np.ndarray)
        assert Path(launcher.scratch).is_dir()
    finally:
        del launcher._fork
    program = launcher.program
    first.close()
    assert isinstance(work(job("def f(x): return x")).call([X], {}).answer, np.ndarray)
    assert launcher.program is program


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
def test_a_warm_parent_that_fails_clears_nothing_away() -> None:
    """Asked what it cannot do it ends, and the next one finds the folder that the workers share."""
    warm = Warm()
    try:
        with pytest.raises(OSError, match="gone"):
            _ask(warm.control, {"wait": os.getpid()}, [])
        warm.program.wait()
        assert Path(warm.scratch).is_dir()
        with Worker(warm, job("def f(x): return x"), LIMITS) as worker:
            assert isinstance(worker.call([X], {}).answer, np.ndarray)
    finally:
        warm.close()


def _raise(error: Exception) -> None:
    raise error


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)


def processes() -> list[str]:
    return subprocess.run(["ps", "axww", "-o", "args"], check=True, capture_output=True, text=True).stdout.splitlines()
