"""Hidden suites, run by pytest in the grader's own process against a function that lives in a worker.

pytest collects a course's suites once; its items are then run again for every submission. Its configuration is
fixed here: no ini file, plug-in, environment variable or conftest.py but the suites' own has a say.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import ModuleType
from typing import Any, Protocol, TypeVar

import numpy as np
import pytest

from grader.answers import Keeping
from grader.course import Course, Exercise
from grader.errors import SuiteError
from grader.report import Ended, Outcome, Response, TestOutcome
from grader.worker.wire import bits

T = TypeVar("T")
_PASSED = pytest.StashKey[Outcome]()
MOST_PRINTED = 64 << 10  # characters that an exercise's report keeps of what was printed
CARE = {  # with a call that is to be pasted, by how the test's own ended
    "timeout": "  # may never come back: Ctrl-C stops it",
    "crash": "  # may end your Python",
    "out-of-memory": "  # may take all the memory there is",
}
_UNWANTED = [
    "assertion",
    "cacheprovider",
    "debugging",
    "doctest",
    "faulthandler",
    "junitxml",
    "legacypath",
    "logging",
    "monkeypatch",
    "nose",
    "pastebin",
    "pytester",
    "recwarn",
    "setuponly",
    "setupplan",
    "stepwise",
    "terminal",
    "threadexception",
    "tmpdir",
    "unittest",
    "unraisableexception",
    "warnings",
]


class Callee(Protocol):
    """What answers for the student's function: a worker, or its stand-in."""

    def call(self, args: Sequence[Any], named: Mapping[str, Any]) -> Response:
        """Ask the function once."""


class Unanswered(Exception):
    """The function gave no array; the message is a sentence for the learner, or `skip` says why it was not asked."""

    def __init__(self, message: str, *, skip: bool = False) -> None:
        super().__init__(message)
        self.skip = skip


class Function:
    """The student's function as a hidden test sees it: arrays in, an array out, everything else a failed test.

    `responses` are all answers so far, `printed` what the code printed since the test began. Once a call has timed
    out the function is not asked again: that outcome is certain.
    """

    def __init__(self, name: str, callee: Callee, describe: Callable[[Response], str]) -> None:
        self.name = name
        self.callee = callee
        self.describe = describe
        self.responses: list[Response] = []
        self.mutated = False
        self.printed = ""
        self.given_up = ""
        self.keeping = Keeping()
        self.arguments_after: tuple[Any, ...] = ()

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Ask once. Raises Unanswered where no array came back."""
        if self.given_up:
            raise Unanswered(self.given_up, skip=True)
        response = self.callee.call(args, named)
        self._remember(response, [value for value in (*args, *named.values()) if isinstance(value, np.ndarray)])
        if isinstance(response.answer, np.ndarray):
            return response.answer
        raise Unanswered(self.describe(response))

    def _remember(self, response: Response, given: list[Any]) -> None:
        self.responses.append(self.keeping.keep(response))
        self.printed = (self.printed + response.output)[: 2 * MOST_PRINTED]
        self.arguments_after = response.arguments
        if not isinstance(response.answer, Ended):
            self.mutated |= list(map(bits, given)) != list(map(bits, response.arguments))
        elif response.answer.waited:
            self.given_up = f"Not run: an earlier call {response.answer.detail}."


class Suites:
    """A course's hidden tests, collected; `run` tries one function on one exercise's tests."""

    def __init__(self, course: Course, plugin: _Plugin, items: list[pytest.Item]) -> None:
        self.course = course
        self.plugin = plugin
        self.items = {
            exercise.name: [item for item in items if item.path.resolve() == exercise.suite.resolve()]
            for exercise in course.exercises
        }

    def run(self, exercise: Exercise, function: Function, seed: int) -> tuple[Outcome, ...]:
        """Run the exercise's tests, in their order."""
        items = self.items[exercise.name]
        if not items:
            remedy = "Write one: a function whose name begins with test_."
            raise SuiteError("there is no test in this suite", where=str(exercise.suite), remedy=remedy)
        self.plugin.begin(function, seed)
        following: list[pytest.Item | pytest.Session] = [*items[1:], items[0].session]
        for item, kept in zip(items, following, strict=True):
            function.printed = ""
            self.plugin.run(item, kept)
        return tuple(self.plugin.outcomes)

    def titles(self, exercise: Exercise) -> list[tuple[str, str]]:
        """Name and title of the exercise's tests, for reports where nothing could be run."""
        return [(test_name(item), title(item)) for item in self.items[exercise.name]]

    def not_run(self, exercise: Exercise, outcome: TestOutcome, message: str) -> tuple[Outcome, ...]:
        """The exercise's tests with one outcome and message for all, none of them run."""
        return tuple(_outcome(item, outcome, message) for item in self.items[exercise.name])


def with_suites(course: Course, work: Callable[[Suites], T], exercises: Sequence[Exercise] = ()) -> T:
    """Collect suites, all unless some exercises are named, and do `work` with them. Raises SuiteError."""
    if sys.flags.optimize:  # python -O drops every assert, and with them every check
        raise SuiteError(
            "Python runs with -O or PYTHONOPTIMIZE, which takes the checks out of the hidden tests",
            remedy="Unset PYTHONOPTIMIZE and run Python without -O.",
        )
    plugin = _Plugin(course, work)
    paths = [str(exercise.suite) for exercise in exercises or course.exercises]
    root = os.path.commonpath([exercise.suite.parent for exercise in course.exercises])
    fixed = [
        "-c",
        os.devnull,
        "--rootdir",
        root,
        "--confcutdir",
        root,
        "--import-mode=importlib",
        "--capture=no",
    ]
    with _no_outside_configuration(), _no_modules_left(root):
        pytest.main([*fixed, *_without(_UNWANTED), *paths], plugins=[plugin, plugin.fixtures()])
    if plugin.error is not None:
        raise plugin.error
    if not plugin.result:
        raise SuiteError("the hidden tests could not be collected", where=root, remedy="\n  ".join(plugin.complaints))
    result: T = plugin.result[0]
    return result


def _without(plugins: Sequence[str]) -> list[str]:
    return [word for name in plugins for word in ("-p", f"no:{name}")]


@contextmanager
def _no_outside_configuration() -> Iterator[None]:
    """No PYTEST_* variable, no installed plug-in, and no rewriting of asserts, which would show their source."""
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("PYTEST_")}
    rewriting = [finder for finder in sys.meta_path if type(finder).__name__ == "AssertionRewritingHook"]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.meta_path[:] = [finder for finder in sys.meta_path if finder not in rewriting]
    try:
        yield
    finally:
        del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        os.environ.update(kept)
        sys.meta_path[:0] = rewriting


@contextmanager
def _no_modules_left(root: str) -> Iterator[None]:
    """Suites are imported under bare names: forget them, or another course's of that name would not be read."""
    try:
        yield
    finally:
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(root + os.sep):
                del sys.modules[name]


class _Current:
    """The function of whatever submission is being graded, under one name: set up once, not for every test."""

    def __init__(self, plugin: _Plugin) -> None:
        self.plugin = plugin

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Ask it once."""
        return self._function()(*args, **named)

    @property
    def arguments_after(self) -> tuple[Any, ...]:
        """What the last call left of its arrays."""
        return self._function().arguments_after

    def _function(self) -> Function:
        if self.plugin.function is None:
            raise SuiteError("a hidden test ran outside of a grading")
        return self.plugin.function


class _Plugin:
    """Our side of pytest: the fixtures, the marks, the loop, and outcomes in place of pytest's own reports."""

    def __init__(self, course: Course, work: Callable[[Suites], Any]) -> None:
        self.course = course
        self.work = work
        self.result: list[Any] = []
        self.error: BaseException | None = None
        self.complaints: list[str] = []
        self.function: Function | None = None
        self.seed = 0
        self.test = ""
        self.drawn: dict[tuple[int, str], tuple[np.random.Generator, Any]] = {}  # by seed and test, and its first state
        self.standing: set[pytest.Item] = set()  # what need not be set up again
        self.room = MOST_PRINTED
        self.outcomes: list[Outcome] = []

    def fixtures(self) -> ModuleType:
        """A plug-in with a fixture for each function of the course, by its name."""
        module = ModuleType("functions")
        for exercise in self.course.exercises:
            setattr(module, exercise.function, self._fixture(exercise.function))
        return module

    def begin(self, function: Function, seed: int) -> None:
        """From here on tests ask `function`, and draw from `seed`."""
        self.function, self.seed, self.outcomes, self.room = function, seed, [], MOST_PRINTED

    def _fixture(self, name: str) -> Any:
        @pytest.fixture(name=name, scope="session")
        def student_function() -> _Current:
            return _Current(self)

        return student_function

    @pytest.fixture
    def rng(self) -> np.random.Generator:
        """A generator drawn from the run's seed and the test's name: each test's numbers stay when others change."""
        return self._numbers()

    def _numbers(self) -> np.random.Generator:
        """The test's generator where it began: made once and taken back, which costs a tenth, if it has no children."""
        key = self.seed, self.test
        if key in self.drawn:
            numbers, began = self.drawn[key]
            if not numbers.bit_generator.seed_seq.n_children_spawned:  # type: ignore[attr-defined] # of any SeedSequence
                numbers.bit_generator.state = began
                return numbers
        numbers = np.random.default_rng([self.seed, zlib.crc32(self.test.encode())])
        self.drawn[key] = numbers, numbers.bit_generator.state
        return numbers

    def pytest_configure(self, config: pytest.Config) -> None:
        for mark in ("points(n)", "targets(*codes)", "example(expression)"):
            config.addinivalue_line("markers", mark)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.complaints.append(str(report.longrepr).strip().splitlines()[-1])

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if self.complaints or not session.items:
            return True
        try:
            self.result.append(self.work(Suites(self.course, self, session.items)))
        except BaseException as error:  # noqa: BLE001 - carried past pytest, which would print it
            self.error = error
        return True

    def run(self, item: pytest.Item, kept: pytest.Item | pytest.Session) -> None:
        """Run one test, also again: its outcome is made of its call, or of its set-up or tear-down where they fail.

        What it shares with `kept`, at least the session, is not torn down. pytest's own protocol would set up each test
        anew and make three reports of it, which nobody reads, and take four times as long.
        """
        self.test = item.name
        error = self._called(item) if item in self.standing else self._set_up_and_called(item, kept)
        outcome, message = _judge(error)
        failed = self.function if outcome == "failed" else None
        printed, care = (self._kept(failed.printed), _care(failed.responses)) if failed else ("", "")
        self.outcomes.append(_outcome(item, outcome, message, printed, care))

    def _called(self, item: Any) -> BaseException | None:
        """Call a test that was set up before and has nothing that an earlier call could have used up but `rng`."""
        if "rng" in item.funcargs:
            item.funcargs["rng"] = self._numbers()
        return _raised(item.runtest)

    def _set_up_and_called(self, item: Any, kept: Any) -> BaseException | None:
        item._initrequest()  # noqa: SLF001 - as pytest does with an item that ran before
        hook = item.config.hook
        failed = _raised(hook.pytest_runtest_setup, item=item)
        error = failed or _raised(item.runtest)
        torn = _raised(hook.pytest_runtest_teardown, item=item, nextitem=kept)
        if not failed and not torn and _lasts(item):
            self.standing.add(item)
        return torn or error

    def _kept(self, printed: str) -> str:
        """What was printed, of the start of all that an exercise's failed tests print."""
        kept, lost = printed[: self.room], printed.count("\n", self.room)
        self.room -= len(kept)
        return kept + (f"\n… and {lost + 1} more lines were too many to keep" if len(kept) < len(printed) else "")


def _raised(step: Callable[..., Any], **named: Any) -> BaseException | None:
    try:
        step(**named)
    except (KeyboardInterrupt, SystemExit, pytest.exit.Exception):  # we are told to stop: no test does that
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it is, the outcome is made of it
        return error
    return None


def _judge(error: BaseException | None) -> tuple[TestOutcome, str]:
    """A failed assertion or a missing answer is the student's; any other exception is a broken suite, so ours."""
    match error:
        case None:
            return "passed", ""
        case Unanswered():
            return "skipped" if error.skip else "failed", str(error)
        case AssertionError():
            return "failed", str(error)
        case _:
            return "error", f"The grader failed here, not your code: {type(error).__name__}: {error}"


def _lasts(item: Any) -> bool:
    """Whether all that a test is given lasts as long as the session, but for `rng`."""
    known = item._fixtureinfo.name2fixturedefs  # noqa: SLF001 - there is no public word of how long a fixture lasts
    return all(name == "rng" or (name in known and known[name][-1].scope == "session") for name in item.fixturenames)


def _care(responses: Sequence[Response]) -> str:
    """What to add to a call that is to be pasted where the test's own call ended its process: a comment."""
    last = responses[-1].answer if responses else None
    return CARE.get(last.code, "") if isinstance(last, Ended) else ""


def _outcome(item: pytest.Item, outcome: TestOutcome, message: str, printed: str = "", care: str = "") -> Outcome:
    passed = _passed(item)
    if outcome == "passed":
        return passed
    shown = (f"{example(item)}{care}",) if outcome == "failed" and example(item) else ()
    return replace(passed, points=0.0, outcome=outcome, message=message, output=printed, example=shown)


def _passed(item: pytest.Item) -> Outcome:
    """The outcome of a test that passed: always the same, so made once."""
    if _PASSED not in item.stash:
        most = points(item)
        item.stash[_PASSED] = Outcome(test_name(item), title(item), most, most, "passed", "", targets(item))
    return item.stash[_PASSED]


# ── what a test says of itself ─────────────────────────────────────────────────────────────────────


def test_name(item: pytest.Item) -> str:
    """The test's name without its prefix."""
    return item.name.removeprefix("test_")


def title(item: pytest.Item) -> str:
    """The docstring: the title the student reads."""
    return " ".join((getattr(item, "obj", None).__doc__ or "").split())


def points(item: pytest.Item) -> float:
    """The points of the test's mark; 0 where it has none, which `verify` complains of."""
    mark = item.get_closest_marker("points")
    return float(mark.args[0]) if mark and mark.args else 0.0


def targets(item: pytest.Item) -> tuple[str, ...]:
    """The codes of the mistakes it is made to catch."""
    return tuple(code for mark in item.iter_markers("targets") for code in mark.args)


def example(item: pytest.Item) -> str:
    """The expression a student can paste to see the fault."""
    mark = item.get_closest_marker("example")
    return str(mark.args[0]) if mark and mark.args else ""
