"""Milliseconds of processor time to name mistakes: each exercise's models, alone and in pairs, and what fits none.

    python tests/benchmarks/diagnosis_cost.py [PAIRS]

Cold loads the model and works out all that is asked of it; warm has been asked the same before. The responses are at
hand in both: the last column is what asking for them costs, in this process.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from grader.course import Course, Exercise, load_course  # noqa: E402 - only now is there a path to it
from grader.diagnosis import explain, table_of  # noqa: E402
from grader.model import RIGHT, Model, load_model  # noqa: E402
from grader.report import Response  # noqa: E402
from grader.worker.host import InProcess  # noqa: E402

SEED = 0
COLD_RUNS = 30

Case = list[Response]
T = TypeVar("T")


def main(most_pairs: int = 300) -> None:
    """Print a line for each exercise and kind of case."""
    course = load_course(ROOT)
    titles = ("cold mean", "max", "warm mean", "max")
    print("{:<24} {:>5} {:>10} {:>7} {:>10} {:>7} {:>7}".format("ms of processor time", "cases", *titles, "probes"))
    for exercise in course.exercises:
        for kind, functions in kinds(model_of(exercise), most_pairs).items():
            print(line(course, exercise, kind, functions))


def line(course: Course, exercise: Exercise, kind: str, functions: list[Callable[..., Any]]) -> str:
    """One row of the table."""
    order = list(course.words(exercise))
    began = time.process_time()
    cases = [answers(model_of(exercise), function) for function in functions]
    asking = (time.process_time() - began) / len(cases) * 1e3
    cold = [cost(exercise, case, order, cold=True) for case in sample(cases, COLD_RUNS)]
    for case in cases:
        cost(exercise, case, order)
    warm = [cost(exercise, case, order) for case in cases]
    figures = [statistics.mean(cold), max(cold), statistics.mean(warm), max(warm)]
    numbers = "{:>10.1f} {:>7.1f} {:>10.2f} {:>7.2f}".format(*figures)
    return f"{exercise.name + ', ' + kind:<24} {len(cases):>5} {numbers} {asking:>7.2f}"


def model_of(exercise: Exercise) -> Model:
    """The exercise's model."""
    return load_model(exercise.mistakes.with_suffix(".py"), exercise.function)


def kinds(model: Model, most_pairs: int) -> dict[str, list[Callable[..., Any]]]:
    """Wrong functions: all single settings, a sample of pairs and of triples, and some that no model reproduces."""
    alone = [{step: way} for step, ways in model.switches.items() for way in ways if way != RIGHT]
    pairs = list(combined(alone, 2))
    triples = list(combined(sample(alone, 30), 3))
    return {
        "singles": [model.wrong(settings) for settings in alone],
        "pairs": [model.wrong(settings) for settings in sample(pairs, most_pairs)],
        "triples": [model.wrong(settings) for settings in sample(triples, 30)],
        "nothing fits": [spoilt(model, after) for after in range(len(model.probes(SEED)))],
    }


def combined(alone: list[dict[str, str]], size: int) -> Iterator[dict[str, str]]:
    """Sets of settings of as many different steps."""
    for chosen in combinations(alone, size):
        settings = {step: way for one in chosen for step, way in one.items()}
        if len(settings) == size:
            yield settings


def sample(cases: list[T], most: int) -> list[T]:
    """Up to so many of the cases, the same ones every time."""
    chosen = np.random.default_rng(SEED).choice(len(cases), min(most, len(cases)), replace=False)
    return [cases[number] for number in chosen]


def spoilt(model: Model, after: int) -> Callable[..., Any]:
    """A function that answers rightly that many times, and then in a way of its own."""
    asked = 0

    def function(*args: Any, **named: Any) -> Any:
        nonlocal asked
        asked += 1
        right = np.asarray(model.function(*args, **named), float)
        return right if asked <= after else right * 1.3 + 0.05

    return function


def answers(model: Model, function: Callable[..., Any]) -> Case:
    """The function's responses to all probes."""
    callee = InProcess(function)
    with np.errstate(all="ignore"):
        return [callee.call(args, named) for args, named in model.probes(SEED)]


def cost(exercise: Exercise, case: Case, order: list[str], *, cold: bool = False) -> float:
    """Milliseconds of one diagnosis, the model's loading included."""
    if cold:
        load_model.cache_clear()
        table_of.cache_clear()
        gc.collect()
    began = time.process_time()
    explain(model_of(exercise), SEED, case, order)
    return (time.process_time() - began) * 1e3


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
