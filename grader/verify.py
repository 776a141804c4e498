"""The course checks itself. Each check is a title and the problems it found, each with its place and remedy."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from grader import isolation, proof
from grader.bank import load_bank
from grader.course import Course, Exercise
from grader.errors import CourseError, WorkerError
from grader.grading import Grading
from grader.job import course_as_submission
from grader.model import load_model
from grader.proof import Trial
from grader.question import as_typed, judge, pose
from grader.report import Report
from grader.stubs import make_stub
from grader.suite_runner import Function, Suites, with_suites
from grader.worker.host import InProcess
from grader.worker.launch import Launcher

SEEDS = (0, 1, 2)
PAIRS_NAMED = 0.97  # of the pairs that do not come to fewer mistakes on every probe
FEWEST_HINTS = 3
SEEDS_A_QUESTION = 8
_ALLOWED_IMPORTS = {
    "__future__",
    "pytest",
    "numpy",
    "math",
    "itertools",
    "functools",
    "collections",
    "typing",
}
GARBAGE = {
    "zeros": lambda right, *_: np.zeros_like(right),
    "ones": lambda right, *_: np.ones_like(right),
    "equal shares": lambda right, *_: np.full(right.shape, 1 / max(1, right.shape[-1] if right.ndim else 1)),
    "copies of the first argument": lambda right, first, *_: np.resize(np.asarray(first), right.shape),
}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing the course promises of itself, and what speaks against it.

    `weak` is what is not as it could be, and yet no fault of the course.
    """

    title: str
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()
    weak: bool = False

    @property
    def word(self) -> str:
        """What it comes to."""
        return "FAILED" if self.problems else "weak" if self.weak else "ok"


def verify(course: Course, launcher: Launcher, *, pairs: bool = False) -> Iterator[Check]:
    """Every check, the cheap ones first; `pairs` of mistakes take minutes. Raises SuiteError for a broken suite."""
    yield Check("every stub is made from its solution and gives nothing away", tuple(_stubs(course)))
    yield Check("every mistake has a title, an explanation and at least three hints", tuple(_words(course)))
    yield Check(
        "every hidden test imports nothing of ours and states each failure in a sentence",
        tuple(_suite_texts(course)),
    )
    yield Check("every question of the quiz can be put, and its own answer is right", tuple(_questions(course)))
    if find_spec("nbgrader"):
        yield Check("nbgrader reads no points, a part and all of them as they are", tuple(_read_by_nbgrader()))
    yield from with_suites(course, lambda suites: list(_with_suites(course, suites, launcher)))
    yield _proved("every single mistake is caught and named", proof.singles(course, SEEDS[0]))
    if pairs:
        yield _proved("every pair of mistakes is caught and named", proof.pairs(course, SEEDS[0]), PAIRS_NAMED)


def _with_suites(course: Course, suites: Suites, launcher: Launcher) -> Iterator[Check]:
    yield Check(
        "every hidden test has a title, points, targets and an example that runs",
        tuple(_tests(course, suites)),
    )
    yield Check("every mistake of an exercise has a hidden test that targets it", tuple(_targets(course, suites)))
    yield Check("the solutions get all points, whatever the seed", tuple(_solutions(course, suites, launcher)))
    yield Check("the stubs get none and are told to be not implemented", tuple(_empty(course, suites, launcher)))
    yield Check("the same submission and seed give the same report", tuple(_same_twice(course, suites, launcher)))
    yield Check("zeros, ones and copies of the right shape get a tenth at most", tuple(_garbage(course, suites)))
    yield Check("every mistake has a model, or is one that the grader observes itself", tuple(_unmodelled(course)))


def machine(launcher: Launcher, *, required: bool = False) -> Iterator[Check]:
    """What isolation a worker has here, by its own word and by what a probe gets done in one.

    What is missing is a fault where it is `required`, else weak. What is open although a worker says that it is kept
    is always a fault: receipts would say more than is true.
    """
    try:
        hello = isolation.observed(launcher)
        tried = list(isolation.tried(launcher))
    except WorkerError as error:
        yield Check("a worker can be started here", (str(error),))
        return
    lacking = isolation.missing(hello.isolation)
    yield Check(f"a worker starts here: Python {hello.python}, NumPy {hello.numpy}, isolation {hello.isolation}", ())
    for name, meaning in isolation.MEANING.items():
        lacks = name in lacking
        problem = f"isolation is required in this course. {isolation.REMEDY[name]}"
        title = f"{'LACKS' if lacks else 'has'} {name}: {meaning}"
        yield Check(title, (problem,) if lacks and required else (), weak=lacks)
    for deed, verdict in tried:
        yield _tried(deed, verdict, kept=deed.kept_by not in lacking, required=required)


def _tried(deed: isolation.Deed, verdict: str, *, kept: bool, required: bool) -> Check:
    title = f"{verdict}: {deed.words}"
    if verdict == "held":
        return Check(title, ())
    if kept:
        return Check(
            title, (f"a worker says that it has {deed.kept_by}, which keeps this. Please report it: SECURITY.md",)
        )
    return Check(title, ("isolation is required in this course",) if required else (), weak=True)


def write_stubs(course: Course) -> list[Path]:
    """Make every stub from its solution; the files written. Raises CourseError for a solution without its marks."""
    problems = [problem for exercise in course.exercises for problem in _made(exercise)[1]]
    if problems:
        remedy = "Mend these solutions and write the stubs again; none was written."
        raise CourseError(problems, where=str(course.root), remedy=remedy)
    for exercise in course.exercises:
        exercise.stub.parent.mkdir(parents=True, exist_ok=True)
        exercise.stub.write_text(_made(exercise)[0], encoding="utf-8")
    return [exercise.stub for exercise in course.exercises]


# ── one function a check ───────────────────────────────────────────────────────────────────────────


def _made(exercise: Exercise) -> tuple[str, list[str]]:
    try:
        return make_stub(exercise.solution.read_text(encoding="utf-8")), []
    except ValueError as error:
        return "", [f"{exercise.solution}: {error}"]


def _stubs(course: Course) -> Iterator[str]:
    for exercise in course.exercises:
        made, problems = _made(exercise)
        yield from problems
        if not problems and exercise.stub.read_text(encoding="utf-8") != made:
            yield f"{exercise.stub}: differs from what its solution gives; run `grade verify --write-stubs`"


def _words(course: Course) -> Iterator[str]:
    for exercise in course.exercises:
        for code, words in course.words(exercise).items():
            where = f"{exercise.mistakes.name} and {course.mistakes.name}: {code}"
            if not (words.title.strip() and words.explanation.strip()):
                yield f"{where}: has no title or no explanation"
            if len(words.hints) < FEWEST_HINTS:
                yield f"{where}: has {len(words.hints)} hints; write at least {FEWEST_HINTS}"


def _questions(course: Course) -> Iterator[str]:
    """Every question put with a few seeds: its answer is judged right, and what it expects to be wrong, wrong."""
    for question in load_bank(course):
        for seed in range(SEEDS_A_QUESTION):
            try:
                posed = pose(question, seed)
                wrong = [each.answer for each in posed.wrong if judge(posed, as_typed(each.answer)).right]
                right = judge(posed, as_typed(posed.answer)).right
            except Exception as error:  # noqa: BLE001 - whatever a generator raises, the course is at fault
                yield f"{question.id}, seed {seed}: {type(error).__name__}: {error}"
                break
            if not right or wrong:
                yield f"{question.id}, seed {seed}: {posed.answer} is not judged right, or {wrong} not wrong"
                break


def _read_by_nbgrader() -> Iterator[str]:
    """Cells as the preprocessor leaves them, put to nbgrader's own reader."""
    from nbformat import v4
    from nbgrader.utils import determine_grade

    from grader.nbgrader_autograde import give

    for points in (0.0, 1.5, 4.0):
        cell = v4.new_code_cell(metadata={"nbgrader": {"grade": True, "solution": False, "points": 4}})
        give(cell, {"text": "", "html": "", "score": points})
        read = determine_grade(cell)[0]
        if read != points:
            yield f"{points:g} of 4 points are read as {read:g}"


def _suite_texts(course: Course) -> Iterator[str]:
    for file in sorted({file for exercise in course.exercises for file in exercise.suite.parent.glob("*.py")}):
        try:
            tree = ast.parse(file.read_text(encoding="utf-8"))
        except SyntaxError as error:
            yield f"{file}:{error.lineno}: {error.msg}"
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Assert) and node.msg is None:
                yield f"{file}:{node.lineno}: an assert without a sentence; add one after a comma"
            for name in _imported(node) - _ALLOWED_IMPORTS:
                yield f"{file}:{getattr(node, 'lineno', 0)}: imports {name}; a suite imports pytest and NumPy alone"


def _imported(node: ast.AST) -> set[str]:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    names += [node.module or "."] if isinstance(node, ast.ImportFrom) else []
    return {name.partition(".")[0] for name in names}


def _tests(course: Course, suites: Suites) -> Iterator[str]:
    for exercise in course.exercises:
        tests = suites.not_run(exercise, "failed", "")
        total = math.fsum(test.max_points for test in tests)
        if not math.isclose(total, exercise.points):
            asked = f"course.yml gives {exercise.name} {exercise.points:g}"
            yield f"{exercise.suite}: its tests have {total:g} points; {asked}"
        if len({test.name for test in tests}) < len(tests):
            yield f"{exercise.suite}: two tests have one name"
        for test in tests:
            where = f"{exercise.suite}: {test.name}"
            if not test.title:
                yield f"{where}: has no docstring, which is its title"
            if not test.max_points > 0:
                yield f"{where}: has no points; mark it with pytest.mark.points(n)"
            yield from _example(course, exercise, where, test.example)


def _example(course: Course, exercise: Exercise, where: str, example: tuple[str, ...]) -> Iterator[str]:
    """The example is tried on the solution, in this process: both are the course's own."""
    if not example:
        yield f"{where}: has no example; mark it with pytest.mark.example(expression)"
        return
    try:
        eval(example[0], {"np": np, exercise.function: solution_of(course, exercise)})
    except Exception as error:  # noqa: BLE001 - whatever it raises is the problem to report
        yield f"{where}: its example {example[0]!r} fails on the solution: {type(error).__name__}: {error}"


def _targets(course: Course, suites: Suites) -> Iterator[str]:
    for exercise in course.exercises:
        words = course.words(exercise)
        aimed = {code for test in suites.not_run(exercise, "failed", "") for code in test.targets}
        for code in own_codes(course, exercise):
            if code not in aimed:
                yield f"{exercise.suite}: no test targets {code}, which {exercise.mistakes.name} lists"
        for code in sorted(aimed - set(words)):
            yield f"{exercise.suite}: targets {code}, which has no words in {exercise.mistakes.name}"
        for test in suites.not_run(exercise, "failed", ""):
            if not test.targets:
                yield f"{exercise.suite}: {test.name}: targets no mistake; mark it with pytest.mark.targets(code)"


def own_codes(course: Course, exercise: Exercise) -> list[str]:
    """The codes that are this exercise's own, not the ones any exercise can have."""
    from dataclasses import replace

    common = course.words(replace(exercise, mistakes=course.mistakes))
    return [code for code in course.words(exercise) if code not in common]


def _solutions(course: Course, suites: Suites, launcher: Launcher) -> Iterator[str]:
    for seed in SEEDS:
        report = _graded(course, suites, launcher, "solution", seed)
        for exercise in report.exercises:
            for test in exercise.tests:
                if test.outcome != "passed":
                    yield f"seed {seed}: {exercise.name}: {test.name}: {test.outcome}: {test.message}"
            if exercise.mistakes:
                yield f"seed {seed}: {exercise.name}: {exercise.mistakes[0].code} was named in the solution"


def _empty(course: Course, suites: Suites, launcher: Launcher) -> Iterator[str]:
    for exercise in _graded(course, suites, launcher, "stub", 0).exercises:
        if exercise.score or exercise.status != "not-implemented":
            yield f"{exercise.name}: its stub gets {exercise.score:g} points and is called {exercise.status}"


def _same_twice(course: Course, suites: Suites, launcher: Launcher) -> Iterator[str]:
    for part in ("solution", "stub"):
        first, second = (_graded(course, suites, launcher, part, 0).to_json() for _ in range(2))
        if first != second:
            yield f"the {part}s: two runs with seed 0 give different reports"


def _garbage(course: Course, suites: Suites) -> Iterator[str]:
    """Answers that need no thought, in the place of the solution's own: their shape is right, nothing else is."""
    for exercise in course.exercises:
        solution = solution_of(course, exercise)
        for name, garble in GARBAGE.items():
            callee = InProcess(_garbled(solution, garble))
            outcomes = suites.run(exercise, Function(exercise.function, callee, lambda _: "no array"), 0)
            earned = sum(outcome.points for outcome in outcomes)
            if earned > exercise.points / 10:
                paid = [outcome.name for outcome in outcomes if outcome.points]
                yield f"{exercise.suite}: {name} earn {earned:g} of {exercise.points:g} points, by {', '.join(paid)}"


def _garbled(solution: Any, garble: Any) -> Any:
    return lambda *args, **named: garble(np.asarray(solution(*args, **named)), *args)


def _unmodelled(course: Course) -> Iterator[str]:
    for exercise in course.exercises:
        model = load_model(exercise.model, exercise.function) if exercise.model else None
        modelled = {code for codes in model.switches.values() for code in codes.values()} if model else set()
        for code in own_codes(course, exercise):
            if model and code not in modelled:
                yield f"{exercise.model}: has no setting for {code}, which {exercise.mistakes.name} lists"


def _proved(title: str, trials: Sequence[Trial], least: float = 1.0) -> Check:
    """All trials caught, and `least` of those that equal no smaller set named exactly; the rest is listed."""
    smaller = [trial for trial in trials if trial.smaller]
    counted = [trial for trial in trials if not trial.smaller]
    missed = [trial for trial in counted if not trial.exact]
    free = [f"full marks for {trial}" for trial in trials if not trial.caught]
    enough = len(missed) <= (1 - least) * len(counted)
    figures = f"{len(counted) - len(missed)} of {len(counted)} exactly, {len(smaller)} equal to a smaller set"
    listed = [f"equal to a smaller set: {trial}" for trial in smaller] + [f"not exact: {trial}" for trial in missed]
    return Check(f"{title}: {figures}", (*free, *(() if enough else map(str, missed))), tuple(listed))


def _graded(course: Course, suites: Suites, launcher: Launcher, part: str, seed: int) -> Report:
    return Grading(course, suites, launcher, seed).report(course_as_submission(course, part))


def solution_of(course: Course, exercise: Exercise) -> Any:
    """The solution's function, run in this process: it is the course's own."""
    import sys
    from types import ModuleType

    package = sys.modules.setdefault("exercises", ModuleType("exercises"))
    for other in course.exercises:
        module = ModuleType(f"exercises.{other.module}")
        sys.modules[module.__name__] = module
        setattr(package, other.module, module)
        exec(compile(other.solution.read_text(encoding="utf-8"), str(other.solution), "exec"), module.__dict__)
        if other is exercise:
            return vars(module)[exercise.function]
    raise AssertionError(exercise)
