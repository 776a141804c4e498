"""The proof of a model: each of its mistakes, alone and in pairs, becomes a submission, to be caught and named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import combinations
from multiprocessing import get_context

from grader.course import Course, Exercise
from grader.crew import processors
from grader.grading import Grading
from grader.model import Model, load_model
from grader.source import Module
from grader.submission import Submission
from grader.suite_runner import with_suites
from grader.worker.launch import make_launcher

Settings = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one wrong submission: the codes it was made of, those named, and whether it was caught."""

    exercise: str
    settings: tuple[tuple[str, str], ...]
    made_of: tuple[str, ...]
    named: tuple[str, ...]
    caught: bool

    @property
    def exact(self) -> bool:
        """Named with exactly the codes it was made of."""
        return set(self.named) == set(self.made_of)

    @property
    def smaller(self) -> bool:
        """Named with fewer: one of its mistakes hides the other, or both come to one, on every probe."""
        return self.caught and 0 < len(self.named) < len(set(self.made_of))

    @property
    def reason(self) -> str:
        """Why other codes were named than it was made of."""
        if self.smaller:
            return "one hides the other, or both come to one, on every probe"
        if not self.named:
            return "its answers are constants, which many mistakes give"
        return "another set, earlier in the table, gives the same answers on every probe"

    def __str__(self) -> str:
        made = " and ".join(f"{step}: {setting}" for step, setting in self.settings)
        codes, named = ", ".join(self.made_of), ", ".join(self.named) or "nothing"
        return f"{self.exercise} ({made}) is {codes}; named: {named}; {self.reason}"


def singles(course: Course, seed: int) -> list[Trial]:
    """Every setting of every model that is a mistake, alone."""
    return _share(course, seed, 1)


def pairs(course: Course, seed: int) -> list[Trial]:
    """Every two settings of different steps, shared out among the processors."""
    parts = processors()
    with ProcessPoolExecutor(parts, mp_context=get_context("spawn")) as pool:
        shares = [pool.submit(_share, course, seed, 2, part, parts) for part in range(parts)]
        return [trial for share in shares for trial in share.result()]


def _share(course: Course, seed: int, size: int, part: int = 0, parts: int = 1) -> list[Trial]:
    """One share of the trials, with suites and workers of its own."""
    plain = replace(course, reveal=replace(course.reveal, evidence=False))
    launcher = make_launcher()
    try:
        return with_suites(plain, lambda suites: _trials(Grading(plain, suites, launcher, seed), size, part, parts))
    finally:
        launcher.close()


def _trials(grading: Grading, size: int, part: int, parts: int) -> list[Trial]:
    tried = []
    for exercise in grading.course.exercises:
        model = load_model(exercise.model, exercise.function) if exercise.model else None
        sets = list(_sets(model, size))[part::parts] if model else []
        tried += [_try(grading, exercise, model, settings) for settings in sets if model]
    return tried


def _sets(model: Model, size: int) -> Iterator[dict[str, str]]:
    mistakes = [(step, setting) for step, codes in model.switches.items() for setting, code in codes.items() if code]
    for chosen in combinations(mistakes, size):
        if len({step for step, _ in chosen}) == size:
            yield dict(chosen)


def _try(grading: Grading, exercise: Exercise, model: Model, settings: Settings) -> Trial:
    (report,) = grading.each(as_submission(exercise, settings), [exercise])
    return Trial(
        exercise=exercise.name,
        settings=tuple(settings.items()),
        made_of=tuple(dict.fromkeys(model.switches[step][setting] for step, setting in settings.items())),
        named=tuple(mistake.code for mistake in report.mistakes if mistake.certainty == "matched"),
        caught=report.score < report.max_score,
    )


def as_submission(exercise: Exercise, settings: Settings) -> Submission:
    """A file a student could hand in: the model's own text, with its function made wrong."""
    model = exercise.model.read_text(encoding="utf-8") if exercise.model else ""
    name = exercise.function
    wrong = f"_model = {name}\ndef {name}(*args, **named): return _model(*args, **named, **{dict(settings)!r})\n"
    module = Module(exercise.module, f"{exercise.module}.py", f"{model}\n{wrong}")
    return Submission("the model", "file", (module,), "")
