"""Diagnosis: the models against themselves, right functions in many styles, and wrong ones that fit no model."""

# ruff: noqa: N803, N806 - Q, K and V are the names of the paper

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.course import load_course
from grader.diagnosis import Table, alike, diagnose, explain, fit, table_of
from grader.errors import CourseError
from grader.model import RIGHT, Model, load_model
from grader.report import Ended, Items, Other, Outcome, Raised, Response
from grader.worker.host import InProcess

Function = Callable[..., Any]
Settings = dict[str, str]

COURSE = load_course(Path(__file__).parents[1])
EXERCISES = [exercise.name for exercise in COURSE.exercises]
SEEDS = range(5)

every_exercise = pytest.mark.parametrize("name", EXERCISES)
every_seed = pytest.mark.parametrize("seed", SEEDS)


@cache
def model(name: str) -> Model:
    exercise = COURSE.exercise(name)
    return load_model(exercise.mistakes.with_suffix(".py"), exercise.function)


@cache
def order(name: str) -> list[str]:
    return list(COURSE.words(COURSE.exercise(name)))


def responses(name: str, function: Function, seed: int = 0) -> list[Response]:
    callee = InProcess(function)
    with np.errstate(all="ignore"):
        return [callee.call(args, named) for args, named in model(name).probes(seed)]


def named(name: str, function: Function, seed: int = 0) -> tuple[str, ...] | None:
    return explain(model(name), seed, responses(name, function, seed), order(name))


def code(name: str, step: str, setting: str) -> str:
    return model(name).switches[step][setting]


def in_order(name: str, settings: Mapping[str, str]) -> tuple[str, ...]:
    codes = {code(name, *choice) for choice in settings.items()} - {""}
    return tuple(sorted(codes, key=order(name).index))


def singles(name: str) -> Iterator[Settings]:
    for step, settings in model(name).switches.items():
        yield from ({step: setting} for setting in settings if setting != RIGHT)


def pairs(name: str) -> list[Settings]:
    return [one | other for one, other in combinations(singles(name), 2) if one.keys() != other.keys()]


# ── what a model is made of ────────────────────────────────────────────────────────────────────────


@every_exercise
def test_every_code_has_a_model(name: str) -> None:
    """The settings' codes are the exercise's own, all of them."""
    known = set(COURSE.words(COURSE.exercise(name))) - set(COURSE.words(COURSE.exercise("causal_mask")))
    own = known if name != "causal_mask" else set(order(name)) - set(COURSE.words(COURSE.exercise("softmax")))
    assert {found for settings in model(name).switches.values() for found in settings.values()} - {""} == own


@every_exercise
def test_models_stand_alone(name: str) -> None:
    """A model imports NumPy and the standard library alone."""
    tree = ast.parse(COURSE.exercise(name).mistakes.with_suffix(".py").read_text(encoding="utf-8"))
    found = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    found |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert found <= {"__future__", "collections.abc", "typing", "numpy"}


@every_exercise
def test_probes_come_from_the_seed(name: str) -> None:
    """A seed draws the same probes each time; another one draws others."""

    def drawn(seed: int) -> bytes:
        calls = model(name).probes(seed)
        return b"".join(np.asarray(value).tobytes() for args, named in calls for value in (*args, *named.values()))

    assert drawn(3) == drawn(3) != drawn(4)


@every_exercise
def test_probes_keep_to_the_rules(name: str) -> None:
    """Probes are what the contract allows: no integers beyond 1,000, nothing empty, no mask row without a True."""
    for seed in range(50):
        for args, keywords in model(name).probes(seed):
            for array in (value for value in (*args, *keywords.values()) if isinstance(value, np.ndarray)):
                assert 0 < max(array.shape) <= 64
                assert np.isfinite(array).all()
                assert array.dtype != np.bool_ or array.any(axis=1).all()
                assert array.dtype.kind != "i" or abs(array).max() <= 1_000


def test_attention_scores_keep_to_the_rules() -> None:
    """Allowed scaled scores lie within ±5,000, disallowed ones below 1e5; in float16 the largest leads by 100."""
    for seed in range(50):
        for (Q, K, _), keywords in model("attention").probes(seed):
            scores = Q.astype(float) @ K.astype(float).T / math.sqrt(Q.shape[1])
            if keywords:
                assert abs(scores[keywords["mask"]]).max() < 5_000
                assert abs(scores).max() < 1e5
            if Q.dtype == np.float16:
                ranked = np.sort(scores, axis=1)
                assert abs(scores).max() < 30_000
                assert (ranked[:, -1] - ranked[:, -2]).min() >= 100


@every_exercise
def test_examples_show_every_mistake(name: str) -> None:
    """On some example the model with any one mistake answers otherwise than the right one, and no style does."""
    right = InProcess(model(name).function)
    with np.errstate(all="ignore"):
        for settings in singles(name):
            wrong = InProcess(model(name).wrong(settings))
            shown = [not alike(wrong.call(*call).answer, right.call(*call).answer) for call in model(name).examples]
            assert any(shown) == bool(in_order(name, settings)), settings


def test_a_faulty_model_is_the_course_s_fault(tmp_path: Path) -> None:
    """A file that is no model is a CourseError that names it."""
    path = tmp_path / "unit.py"
    for text in ("SWITCHES = {'scale': {}}", "def (", "import nowhere"):
        path.write_text(text, encoding="utf-8")
        load_model.cache_clear()
        with pytest.raises(CourseError, match=r"unit\.py"):
            load_model(path, "unit")
    load_model.cache_clear()
    model.cache_clear()


# ── the models against themselves ──────────────────────────────────────────────────────────────────


@every_seed
@every_exercise
def test_single_mistakes_are_exact(name: str, seed: int) -> None:
    """Every setting alone is named with its code and no other; what is right by itself is not named."""
    wrong = {}
    for settings in singles(name):
        found = named(name, model(name).wrong(settings), seed)
        if found != in_order(name, settings):
            wrong[str(settings)] = found
    assert not wrong


# Why a pair may be called otherwise. None of these is a wrong match: what is found gives the same answers.
HIDDEN = "one of the two hides the other on every probe"
ONE_OTHER = "a single other mistake gives the same answers"
TIE = "another pair gives the same answers, and comes earlier in the table"
CONSTANT = "all answers are constants, infinity and nan being one"


def judge(name: str, settings: Settings, seed: int) -> str:
    """How a pair is called: "exact", or why not. Fails where what is found does not give the same answers."""
    given = responses(name, model(name).wrong(settings), seed)
    found, wanted = fit(model(name), seed, given, order(name)), in_order(name, settings)
    if found is None:
        answers: list[Any] = [np.asarray(response.answer, float) for response in given]
        assert all(np.unique(np.where(np.isfinite(each), each, np.nan)).size == 1 for each in answers), settings
        return CONSTANT
    if found.codes == wanted:
        return "exact"
    same = responses(name, model(name).wrong(found.settings), seed)
    for one, other, (args, _) in zip(given, same, model(name).probes(seed), strict=True):
        assert alike(one.answer, other.answer, half=np.asarray(args[0]).dtype == np.float16), (settings, found)
    if set(found.codes) < set(wanted):
        return HIDDEN
    if len(found.settings) < len(settings):
        return ONE_OTHER
    assert [order(name).index(c) for c in found.codes] < [order(name).index(c) for c in wanted], (settings, found)
    return TIE


@every_exercise
def test_pairs(name: str) -> None:
    """Every pair is named exactly, but for those that a smaller set or an earlier pair equals on every probe."""
    found = Counter(judge(name, settings, seed=number % 2) for number, settings in enumerate(pairs(name)))
    distinct = found.total() - found[HIDDEN] - found[ONE_OTHER]
    assert found["exact"] >= 0.97 * distinct, found
    assert found[CONSTANT] <= 10, found


def test_triples() -> None:
    """What is found for three mistakes gives the same answers, and is mostly the three."""
    rng, found = np.random.default_rng(0), Counter[bool]()
    for _ in range(40):
        steps = rng.choice(list(model("attention").switches), 3, replace=False)
        settings = {step: str(rng.choice(list(model("attention").switches[step])[1:])) for step in map(str, steps)}
        found[judge("attention", settings, seed=0) == "exact"] += 1
    assert found[True] > found[False]


def test_ties_go_to_the_earlier_in_the_table() -> None:
    """Of two pairs that give the same answers the one that comes earlier is named."""
    masked_scores_as_weights = model("attention").wrong({"weights": "scores", "masking": "product"})
    assert named("attention", masked_scores_as_weights) == ("mask-after-softmax", "no-softmax")
    unnormalised = model("softmax").wrong({"direction": "whole", "quotient": "none"})
    assert named("softmax", unnormalised) == ("underflow", "not-normalised")


def test_the_contract_s_example() -> None:
    """Unscaled raw float16 scores that overflow are two mistakes: either alone would still be wrong."""

    def raw(Q: Any, K: Any, V: Any, mask: Any = None) -> Any:
        scores = Q @ K.T
        return softmax(scores if mask is None else np.where(mask, scores, -np.inf)) @ V

    assert named("attention", raw) == ("missing-scaling", "half-precision-overflow")


@every_exercise
def test_the_same_every_time(name: str) -> None:
    """Neither what was asked before nor a table that has been emptied changes an answer."""
    some = list(singles(name))[::3] + pairs(name)[::200]
    given = [responses(name, model(name).wrong(settings), seed=1) for settings in some]
    table_of.cache_clear()
    first = [fit(model(name), 1, answers, order(name)) for answers in given]
    table_of.cache_clear()
    backwards = [fit(model(name), 1, answers, order(name)) for answers in reversed(given)]
    assert first == backwards[::-1]


def test_a_table_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that has grown large begins anew and answers the same."""
    given = responses("softmax", model("softmax").wrong({"shift": "none", "direction": "last"}))
    found = fit(model("softmax"), 0, given, order("softmax"))
    monkeypatch.setattr(Table, "MOST_PATHS", 1)
    assert fit(model("softmax"), 0, given, order("softmax")) == found


# ── right functions, in many styles ────────────────────────────────────────────────────────────────


def softmax(x: Any, axis: int = -1) -> Any:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def softmax_in_float32(x: Any, axis: int = -1) -> Any:
    e = np.exp(np.float32(x) - np.float32(x).max(axis=axis, keepdims=True))
    return e / (e.sum(axis=axis, keepdims=True) + 1e-8)


def softmax_of_logarithms(x: Any, axis: int = -1) -> Any:
    return np.exp(x - np.logaddexp.reduce(np.float64(x), axis=axis, keepdims=True))


def softmax_in_loops(x: Any, axis: int = -1) -> Any:
    def of_vector(vector: Any) -> Any:
        top = max(vector)
        e = [math.exp(score - top) for score in vector]
        return [weight / sum(e) for weight in e]

    return np.apply_along_axis(of_vector, axis, np.float64(x))


def softmax_moved(x: Any, axis: int = -1) -> Any:
    moved = np.moveaxis(np.float64(x), axis, 0)
    e = np.exp(moved - moved.max(axis=0))
    return np.moveaxis(e / e.sum(axis=0), 0, axis)


def softmax_masked_array(x: Any, axis: int = -1) -> Any:
    masked = np.ma.masked_invalid(np.float64(x))
    e = np.ma.exp(masked - masked.max(axis=axis, keepdims=True))
    return (e / e.sum(axis=axis, keepdims=True)).filled(0)


def softmax_in_place(x: Any, axis: int = -1) -> Any:
    x -= x.max(axis=axis, keepdims=True)  # changes its input, which is another mistake and observed
    return np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)


def attention_filling(fill: float) -> Function:
    def attention(Q: Any, K: Any, V: Any, mask: Any = None) -> Any:
        scores = np.float64(Q) @ np.float64(K).T / np.sqrt(Q.shape[-1])
        return softmax(scores if mask is None else np.where(mask, scores, fill)) @ V

    return attention


def attention_adding(Q: Any, K: Any, V: Any, mask: Any = None) -> Any:
    scores = np.float32(Q) @ np.float32(K).T / np.float32(Q.shape[1] ** 0.5)
    return softmax(scores if mask is None else scores + (1 - mask) * np.float32(-1e9)) @ np.float32(V)


def attention_in_own_precision(Q: Any, K: Any, V: Any, mask: Any = None) -> Any:
    scores = (Q / Q.shape[1] ** 0.5) @ K.T
    if mask is not None:
        scores[~mask] = -1e4
    return softmax(scores) @ V


def attention_by_fourth_roots(Q: Any, K: Any, V: Any, mask: Any = None) -> Any:
    root = Q.shape[1] ** 0.25
    scores = np.einsum("id,jd->ij", np.float32(Q) / root, np.float32(K) / root)
    return np.einsum("ij,jd->id", softmax(scores if mask is None else np.where(mask, scores, -np.inf)), V)


def attention_in_loops(Q: Any, K: Any, V: Any, mask: Any = None) -> Any:
    output = np.zeros((len(Q), V.shape[1]))
    for i, q in enumerate(np.float64(Q)):
        keys = [j for j in range(len(K)) if mask is None or mask[i, j]]
        weights = softmax(np.array([sum(q * K[j]) / math.sqrt(len(q)) for j in keys]))
        for weight, j in zip(weights, keys, strict=True):
            output[i] += weight * V[j]
    return output


def attention_masked_array(Q: Any, K: Any, V: Any, mask: Any = None) -> Any:
    scores = np.float64(Q) @ np.float64(K).T * Q.shape[1] ** -0.5
    masked = np.ma.masked_array(scores, False if mask is None else ~mask)
    e = np.ma.exp(masked - masked.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)).filled(0) @ V


def attention_with_logarithms(Q: Any, K: Any, V: Any, mask: Any = None) -> Any:
    scores = np.float64(Q) @ np.float64(K).T / np.sqrt(K.shape[1])
    scores = scores if mask is None else scores + np.log(mask)
    return np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)) @ V


def attention_excluding(Q: Any, K: Any, V: Any, mask: Any = None) -> Any:
    scores = np.float64(Q) @ np.float64(K).T / np.sqrt(K.shape[1])
    allowed = np.ones(scores.shape, bool) if mask is None else mask
    top = np.where(allowed, scores, -np.inf).max(axis=1, keepdims=True)
    e = np.exp(np.minimum(scores - top, 0)) * allowed
    return e / (e.sum(axis=1, keepdims=True) + 1e-8) @ V


RIGHT_ONES: list[tuple[str, Function]] = [
    ("softmax", softmax),
    ("softmax", softmax_in_float32),
    ("softmax", softmax_of_logarithms),
    ("softmax", softmax_in_loops),
    ("softmax", softmax_moved),
    ("softmax", softmax_masked_array),
    ("softmax", softmax_in_place),
    ("causal_mask", lambda n: np.tril(np.ones((n, n), dtype=bool))),
    ("causal_mask", lambda n: np.array([[j <= i for j in range(n)] for i in range(n)])),
    ("causal_mask", lambda n: ~np.triu(np.ones((n, n)), 1).astype(bool)),
    ("causal_mask", lambda n: np.greater_equal.outer(np.arange(n), np.arange(n))),
    *(("attention", attention_filling(fill)) for fill in (-np.inf, -1e4, -1e9, -1e30, float(np.finfo(float).min))),
    ("attention", attention_adding),
    ("attention", attention_in_own_precision),
    ("attention", attention_by_fourth_roots),
    ("attention", attention_in_loops),
    ("attention", attention_masked_array),
    ("attention", attention_with_logarithms),
    ("attention", attention_excluding),
]


@every_seed
@pytest.mark.parametrize(("name", "function"), RIGHT_ONES)
def test_right_ways_get_no_mistake(name: str, function: Function, seed: int) -> None:
    """Whatever the style, a right function answers as the model with nothing wrong."""
    assert named(name, function, seed) == ()


# ── wrong functions, in other styles ───────────────────────────────────────────────────────────────


def softmax_logarithm_of_bare_sum(x: Any, axis: int = -1) -> Any:
    return np.exp(x - np.log(np.exp(np.float64(x)).sum(axis=axis, keepdims=True)))


def softmax_row_by_row(x: Any, axis: int = -1) -> Any:
    return softmax(x) if x.ndim == 1 else np.stack([softmax_row_by_row(row) for row in x])


def softmax_into_like(x: Any, axis: int = -1) -> Any:
    weights = np.zeros_like(x)
    weights[...] = softmax(x, axis)
    return weights


def softmax_bare_and_dropped(x: Any, axis: int = -1) -> Any:
    return np.exp(x) / np.exp(x).sum(axis=axis)


def attention_looking_back(Q: Any, K: Any, V: Any, mask: Any = None) -> Any:
    output = np.zeros((len(Q), V.shape[1]))
    for i in range(len(Q)):
        seen = K[: i + 1].astype(float)
        output[i] = softmax(seen @ Q[i].astype(float) / math.sqrt(len(Q[i]))) @ V[: i + 1]
    return output


def attention_unscaled_in_loops(Q: Any, K: Any, V: Any, mask: Any = None) -> Any:
    scores = np.array([[sum(a * b for a, b in zip(q, k, strict=True)) for k in np.float64(K)] for q in np.float64(Q)])
    if mask is not None:
        scores[~mask] = -1e9
    return np.einsum("ij,jd->id", softmax(scores), V)


def attention_weighing_late(Q: Any, K: Any, V: Any, mask: Any = None) -> tuple[Any, Any, Any]:
    scores = np.float32(Q) @ np.float32(K).T / np.float32(Q.shape[1])
    weights = softmax(scores)
    if mask is not None:
        weights[~mask] = 0
    return weights, weights @ V, scores


def softmax_of_numbers(x: Any, axis: int = -1) -> Any:
    def of_vector(vector: Any) -> Any:
        e = [math.exp(score) for score in vector]
        return [weight / sum(e) for weight in e]

    return np.apply_along_axis(of_vector, axis, x)


def softmax_of_numbers_with_one_shift(x: Any, axis: int = -1) -> Any:
    return softmax_of_numbers(np.float64(x) - x.max(), axis)


def softmax_of_matrices(x: Any, axis: int = -1) -> Any:
    if x.ndim > 2:
        raise NameError("out")
    return np.exp(x) / np.exp(x).sum(axis, keepdims=True)


def softmax_of_a_sum_s_logarithm(x: Any, axis: int = -1) -> Any:
    return np.exp(x - np.logaddexp.reduce(np.float64(x), axis=axis))


def attention_clipping(limit: float) -> Function:
    def attention(Q: Any, K: Any, V: Any, mask: Any = None) -> Any:
        e = np.exp(np.clip(np.float64(Q) @ np.float64(K).T / np.sqrt(Q.shape[1]), -limit, limit))
        e = e if mask is None else e * mask
        return e / e.sum(-1, keepdims=True) @ V

    return attention


def attention_reshaping(Q: Any, K: Any, V: Any, mask: Any = None) -> Any:
    assert len(Q) == len(K)
    e = np.exp(np.float64(Q) @ np.float64(K).T / math.sqrt(Q.shape[1]))
    e = e if mask is None else np.where(mask, e, 0)
    return e / e.sum(1)[:, None] @ V


WRONG_ONES: list[tuple[str, Function, tuple[str, ...]]] = [
    ("softmax", softmax_logarithm_of_bare_sum, ("overflow",)),
    ("softmax", softmax_row_by_row, ("wrong-axis",)),
    ("softmax", softmax_into_like, ("truncates-integers",)),
    ("softmax", softmax_bare_and_dropped, ("overflow", "missing-keepdims")),
    ("softmax", softmax_of_numbers, ("overflow",)),
    ("softmax", softmax_of_numbers_with_one_shift, ("underflow",)),
    ("softmax", softmax_of_matrices, ("overflow",)),  # and an exception, observed
    ("softmax", softmax_of_a_sum_s_logarithm, ("missing-keepdims",)),
    ("causal_mask", lambda n: np.where(np.tri(n), 0, -1e9), ("not-boolean",)),
    ("causal_mask", lambda n: np.triu(np.ones((n, n)), 1), ("inverted-mask", "not-boolean")),
    ("attention", attention_looking_back, ("mask-ignored",)),
    ("attention", attention_unscaled_in_loops, ("missing-scaling",)),
    ("attention", attention_weighing_late, ("wrong-scaling", "mask-after-softmax", "returns-tuple")),
    ("attention", attention_reshaping, ("overflow", "assumes-square")),
    *(("attention", attention_clipping(limit), ("overflow",)) for limit in (10, 15, 20, 25, 30, 50, 88, 100, 700)),
    *(("attention", attention_filling(fill), ("weak-mask",)) for fill in (0, 1e-9, -1, -5, -10, -20, -100, -1000)),
]


@every_seed
@pytest.mark.parametrize(("name", "function", "codes"), WRONG_ONES)
def test_other_styles_are_named(name: str, function: Function, codes: tuple[str, ...], seed: int) -> None:
    """How a mistake is written does not matter."""
    assert named(name, function, seed) == codes


def test_exceptions_that_no_mistake_explains_are_left_over() -> None:
    """Where exceptions alone are in the way, the answers are fitted, if most probes were answered, and nothing else."""
    given = responses("softmax", softmax_of_matrices)
    found = fit(model("softmax"), 0, given, order("softmax"))
    assert found is not None
    assert found.reproduced == tuple(each for each in given if not isinstance(each.answer, Raised))
    outcomes = diagnose(FAILED, given, False, order("softmax"), found.codes, found.reproduced)
    assert outcomes == [("overflow", "matched"), ("raises", "matched")]
    mostly = [each if number < 5 else given[6] for number, each in enumerate(given)]
    assert fit(model("softmax"), 0, mostly, order("softmax")) is None


def scaled_twice_as_much(Q: Any, K: Any, V: Any, mask: Any = None) -> Any:
    return attention_filling(-np.inf)(2 * Q, K, V, mask)


NO_KNOWN_ONES: list[tuple[str, Function]] = [
    ("softmax", lambda x, axis=-1: x / x.sum(axis=axis, keepdims=True)),
    ("softmax", lambda x, axis=-1: softmax(2 * x, axis)),
    ("softmax", lambda x, axis=-1: (x == x.max(axis=axis, keepdims=True)) * 1.0),
    ("softmax", lambda x, axis=-1: np.full(x.shape, 1 / x.shape[axis])),
    ("softmax", lambda x, axis=-1: np.zeros(x.shape)),
    ("softmax", lambda x, axis=-1: np.full(x.shape, np.nan)),
    ("softmax", lambda x, axis=-1: x.copy()),
    ("softmax", lambda x, axis=-1: np.random.default_rng(0).random(x.shape)),
    ("softmax", lambda x, axis=-1: softmax(x, axis).tolist()),
    ("softmax", lambda x, axis=-1: softmax(x, axis)[..., ::-1]),
    ("causal_mask", lambda n: np.ones((n, n), dtype=bool)),
    ("causal_mask", lambda n: np.eye(n, dtype=bool)),
    ("causal_mask", lambda n: np.tri(n + 1, dtype=bool)),
    ("causal_mask", lambda n: np.tri(n, dtype=bool)[::-1]),
    ("attention", lambda Q, K, V, mask=None: np.zeros((len(Q), V.shape[1]))),
    ("attention", lambda Q, K, V, mask=None: np.tile(V.mean(0), (len(Q), 1))),
    ("attention", lambda Q, K, V, mask=None: Q),
    ("attention", lambda Q, K, V, mask=None: V),
    ("attention", lambda Q, K, V, mask=None: Q @ K.T @ V),
    ("attention", lambda Q, K, V, mask=None: -attention_in_loops(Q, K, V, mask)),
    ("attention", lambda Q, K, V, mask=None: attention_in_loops(Q, K, V, mask) + 0.02),
    ("attention", lambda Q, K, V, mask=None: attention_in_loops(Q, K, V, mask) / 2),
    ("attention", lambda Q, K, V, mask=None: attention_in_loops(Q, K, V, mask).T),
    ("attention", lambda Q, K, V, mask=None: {"output": attention_in_loops(Q, K, V, mask)}),
    ("attention", scaled_twice_as_much),
]


@every_seed
@pytest.mark.parametrize(("name", "function"), NO_KNOWN_ONES)
def test_what_fits_no_model_is_not_matched(name: str, function: Function, seed: int) -> None:
    """A function that is wrong in a way of its own gets no name."""
    assert named(name, function, seed) is None


def test_calls_that_ended_are_not_matched() -> None:
    """Where a probe ended its process, gave another type, or was not put, nothing is matched."""
    given = responses("softmax", softmax_bare_and_dropped)
    for other in (Response(Ended("timeout", "ran too long")), Response(Other("list"))):
        assert explain(model("softmax"), 0, [*given[:-1], other], order("softmax")) is None
    assert explain(model("softmax"), 0, given[:-1], order("softmax")) is None


# ── what is compared ───────────────────────────────────────────────────────────────────────────────


def test_alike() -> None:
    """Answers are alike in kind, shape, boolean or not, brokenness and numbers, within what precision allows."""
    one = np.array([1.0, 2.0])
    assert alike(one, one.astype(np.float32) + 1e-5)
    assert alike(one.astype(np.float16), one + 0.01)
    assert not alike(one, one + 0.01)
    assert not alike(one, one[np.newaxis])
    assert not alike(np.array([True, False]), np.array([1, 0]))
    assert alike(np.array([np.nan, 1.0]), np.array([-1e9, 1.0]))
    assert not alike(np.array([np.nan, 1.0]), np.array([1.0, np.nan]))
    assert alike(Items((one + 1, one)), Items((one,)))
    assert not alike(Items((one,)), one)
    overflowing = Raised("OverflowError", ("OverflowError", "ArithmeticError", "Exception"), "")
    assert alike(overflowing, np.array([np.nan, 1.0]))
    assert not alike(overflowing, one * 1e6)
    assert alike(Raised("IndexError", ("IndexError", "Exception"), ""), Raised("ValueError", ("ValueError",), ""))
    assert not alike(Raised("NameError", ("NameError", "Exception"), ""), Raised("ValueError", ("ValueError",), ""))


# ── what a report names ────────────────────────────────────────────────────────────────────────────

FAILED = [Outcome("shape", "It has a shape", 0, 1, "failed", targets=("wrong-axis",))]
RAISED = Response(Raised("ValueError", ("ValueError",), "no"))
ARRAY = Response(np.ones(2))


def test_explained_codes_are_matched() -> None:
    """Codes that reproduce the probes take the place of what tests suggest, and of what was observed there."""
    found = diagnose(FAILED, [RAISED], True, order("softmax"), ("missing-keepdims",), [ARRAY, RAISED])
    assert found == [("missing-keepdims", "matched"), ("mutates-input", "matched")]


def test_what_no_probe_showed_is_named_beside() -> None:
    """An exception that no probe raised is not explained by what the probes show."""
    found = diagnose(FAILED, [RAISED], False, order("softmax"), ("overflow",), [ARRAY])
    assert found == [("overflow", "matched"), ("raises", "matched")]


ENDED = Response(Ended("timeout", "ran too long"))


@pytest.mark.parametrize(("explained", "probed"), [((), [ARRAY]), (None, [ARRAY, ENDED]), (None, [])])
def test_without_an_explanation_tests_point(explained: tuple[str, ...] | None, probed: list[Response]) -> None:
    """Where all probes were answered rightly, or not all were answered, failing tests' targets are suspected."""
    assert diagnose(FAILED, [ARRAY], False, order("softmax"), explained, probed) == [("wrong-axis", "suspected")]


def test_what_no_model_reproduces_is_unexplained() -> None:
    """Where every probe was answered and nothing fits, no test can point to a mistake that is known."""
    assert diagnose(FAILED, [ARRAY], False, order("softmax"), None, [ARRAY]) == [("unexplained", "suspected")]
