"""Naming what is wrong with an attempt: what was observed, or what a model of being wrong reproduces, with evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader.answers import Keeping
from grader.attempt import Attempt, Bench
from grader.course import Exercise
from grader.diagnosis import Fit, diagnose, digest_of, fit, misshapes
from grader.errors import WorkerError
from grader.evidence import find_evidence
from grader.job import Task
from grader.maps import find_maps
from grader.model import Model, load_model
from grader.notes import code_of_nothing, imports, used_of
from grader.report import Certainty, Ended, Map, Mistake, Response, WhatIf
from grader.stubs import is_stub
from grader.what_if import Repairs
from grader.worker.host import Worker

FORBIDDEN = "forbidden"
UNSHOWN = {"mutates-input", "timeout", "crash", "out-of-memory"}  # an answer shows nothing of these, or costs too much


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The mistakes named, what the score would be with each of them repaired, and maps where they were asked for.

    `probe_digest` stands for the answers to the probes, where any were put.
    """

    mistakes: tuple[Mistake, ...] = ()
    what_if: tuple[WhatIf, ...] = ()
    maps: tuple[Map, ...] = ()
    probe_digest: str = ""


class Naming:
    """Names mistakes at one bench."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.repairs = Repairs(bench.suites, bench.seed)

    def diagnosis(self, task: Task, attempt: Attempt) -> Diagnosis:
        """Name what is wrong with an attempt, and what was seen to try what it may not, which costs nothing."""
        found = self._diagnosis(task, attempt)
        if not attempt.tried or any(each.code == FORBIDDEN for each in found.mistakes):
            return found
        order = list(self.bench.course.words(task.exercise))
        named = [*found.mistakes, *self._mistakes(task.exercise, [(FORBIDDEN, "matched")])]
        named.sort(key=lambda each: order.index(each.code) if each.code in order else len(order))
        return replace(found, mistakes=tuple(named))

    def _diagnosis(self, task: Task, attempt: Attempt) -> Diagnosis:
        """Name what is wrong; nothing where all tests passed or the grader itself failed."""
        if attempt.loaded.ended:
            return self.observed(task.exercise, attempt.loaded.ended.code)
        if attempt.passed or (not attempt.loaded.callable and attempt.broke_the_grader):
            return Diagnosis()
        if attempt.worker is None:  # there was nothing to call
            return self.observed(task.exercise, code_of_nothing(task.exercise, task.module, attempt.loaded))
        if is_stub(task.module.text, task.exercise.function) and not attempt.score:
            return self.observed(task.exercise, "not-implemented")
        return self._explain(task, attempt, attempt.worker)

    def observed(self, exercise: Exercise, code: str) -> Diagnosis:
        """One code that was seen for itself."""
        return Diagnosis(self._mistakes(exercise, [(code, "matched")]))

    def _explain(self, task: Task, attempt: Attempt, worker: Worker) -> Diagnosis:
        """Put the model's probes to the function, find what reproduces its answers, and show it on a small input."""
        exercise, seed = task.exercise, self.bench.seed
        order = list(self.bench.course.words(exercise))
        model = load_model(exercise.model, exercise.function) if exercise.model else None
        probed: tuple[Response, ...] = ()
        fitted: Fit | None = None
        if model and not attempt.timed_out and attempt.answered:
            probed = self._probe(model, worker)
            fitted = fit(model, seed, probed, order)
        explained = fitted.codes if fitted else None
        misshapen = model is not None and fitted is None and misshapes(model, seed, probed)
        found = diagnose(
            attempt.outcomes,
            attempt.responses,
            attempt.mutated,
            order,
            explained,
            fitted.reproduced if fitted else probed,
            misshapen=misshapen,
        )
        mistakes = self._mistakes(exercise, found)
        if model and self.bench.course.reveal.evidence:
            mistakes = tuple(
                self._with_evidence(each, task, model, fitted, worker, attempt.borrow) for each in mistakes
            )
        maps = self._maps(model, worker) if model and self.bench.maps and attempt.answered else ()
        if model is None or fitted is None or not explained or fitted.reproduced != probed:
            # What the model cannot do as they do, no repair of it can tell.
            return Diagnosis(mistakes, maps=maps, probe_digest=digest_of(probed))
        repairs = self.repairs.of(exercise, model, fitted, [code for code, _ in found])
        return Diagnosis(mistakes, repairs, maps, digest_of(probed))

    def _maps(self, model: Model, worker: Worker) -> tuple[Map, ...]:
        try:
            return find_maps(model, worker.call)
        except WorkerError:  # the marks are given: pictures are all that is lost
            return ()

    def _probe(self, model: Model, worker: Worker) -> tuple[Response, ...]:
        """The answers to the model's probes, up to one that ended its worker: a probe that hangs is not put again.

        None where no worker could be had: marks are given by then, and stay.
        """
        responses, script, keeping = [], self.bench.rehearsals.probes(model), Keeping()
        try:
            worker.expect(script)
            for args, named in script.calls:
                responses.append(keeping.keep(worker.call(args, named)))
                if isinstance(responses[-1].answer, Ended):
                    break
        except WorkerError:
            return ()
        return tuple(responses)

    def _with_evidence(
        self, mistake: Mistake, task: Task, model: Model, fitted: Fit | None, worker: Worker, borrow: str
    ) -> Mistake:
        if mistake.code in UNSHOWN:
            return mistake
        modelled = fitted if fitted and mistake.code in fitted.codes else None
        first = imports(task.submission, task.exercise, task.module)
        used = " and ".join(used_of(self.bench.course, task.exercise, task.module))
        first += f"  # and with a right {used} in place of yours" if borrow else ""
        try:
            shown = find_evidence(model, task.exercise.function, first, worker.call, modelled, mistake.code)
        except WorkerError:  # the marks are given: evidence is all that is lost
            return mistake
        return replace(mistake, evidence=shown)

    def _mistakes(self, exercise: Exercise, found: Sequence[tuple[str, Certainty]]) -> tuple[Mistake, ...]:
        words = self.bench.course.words(exercise) if found else {}
        return tuple(
            Mistake(code, certainty, words[code].title, words[code].explanation)
            if code in words
            else Mistake(code, certainty, code.replace("-", " "), "")
            for code, certainty in found
        )
