"""The softmax taken in steps, and the ways in which each can go wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

SWITCHES: dict[str, dict[str, str]] = {
    "direction": {  # of the maximum and of the sum
        "last": "wrong-axis",  # whatever is asked for
        "first": "wrong-axis",
        "second": "wrong-axis",
        "second, vectors apart": "wrong-axis",
        "whole": "wrong-axis",
        "flipped": "wrong-axis",
        "counted from the other end": "wrong-axis",
        "first or last": "wrong-axis",  # the first where 0 is asked for, else the last
        "first if negative": "wrong-axis",
        "without its sign": "wrong-axis",
        "whole by default": "wrong-axis",  # the one asked for; this where none is
        "first by default": "wrong-axis",
        "second by default": "wrong-axis",
        "each x[i]": "wrong-axis",  # a vector being one
        "each x[i], numbers too": "wrong-axis",
    },
    "keepdims": {
        "not in the maximum": "missing-keepdims",
        "not in the sum": "missing-keepdims",
        "nowhere": "missing-keepdims",
        "not in the log of the sum": "missing-keepdims",
        "as the last": "missing-keepdims",  # put back in the wrong place
    },
    "shift": {
        "none": "overflow",
        "none, in long double": "overflow",
        "mean": "overflow",
        "mean of the whole": "overflow",
        "minimum": "overflow",
        "first entry": "overflow",
        "largest size": "overflow",  # the maximum of |x|
        "maximum or 0": "overflow",  # a search for the maximum that begins at 0
        "clipped": "overflow",
        "clipped above": "overflow",
        "divided by the maximum": "overflow",
        "logarithm of the sum": "overflow",  # of bare exponentials
        "whole": "underflow",
        "last axis": "wrong-axis",
        "first axis": "wrong-axis",
    },
    "exponentials": {
        "in float32": "",
        "truncated": "truncates-integers",
        "truncated, as the quotient": "truncates-integers",
    },
    "quotient": {
        "epsilon below": "",
        "none": "not-normalised",
        "by the largest": "not-normalised",
        "by the count": "not-normalised",
        "by the mean": "not-normalised",
        "by the norm": "not-normalised",
        "by 1 and the sum": "not-normalised",
        "by the sum of scores": "not-normalised",
        "sigmoid": "not-normalised",
        "shifted scores": "not-normalised",  # never exponentiated
        "last axis": "wrong-axis",
        "first axis": "wrong-axis",
        "whole": "wrong-axis",
        "sum truncated": "truncates-integers",
        "truncated": "truncates-integers",
        "truncated always": "truncates-integers",  # by //, or in an array made for integers, whatever x is
        "rounded": "truncates-integers",
    },
    "result": {"nan to 0": "", "log": "returns-log"},
    "cast": {"back": "truncates-integers"},
}


class State(NamedTuple):
    """The scores and whether they are integers, the axis (None: the whole), and what has become of the scores."""

    x: Array
    integers: bool
    axis: Any
    of_logarithms: bool = False  # whether the logarithm of the sum is subtracted, in place of a division
    keep_maximum: bool = True
    keep_sum: bool = True
    keeps_as_last: bool = False
    truncates: bool = False
    divides: bool = True
    shifted: Array | None = None
    exponentials: Array | None = None
    weights: Array | None = None


def softmax(x: Array, axis: int | None = None, **settings: str) -> Array:
    """exp(x) / sum(exp(x)) along `axis` (by default the last); `settings` say which steps are taken otherwise."""
    state: Any = begin(x, axis)
    for step in STEPS:
        state = step(state, settings.get(step.__name__, "right"))
    return state


def begin(x: Array, axis: int | None = None) -> State:
    """Calculate in float64: what precision decides is left out of the probes."""
    return State(x.astype(np.float64), x.dtype.kind == "i", axis)


def direction(now: State, how: str = "right") -> State:
    """Settle which axis the maximum and the sum run along."""
    asked = -1 if now.axis is None else now.axis
    inner = tuple(range(1, now.x.ndim))
    axes: dict[str, Any] = {
        "right": asked,
        "last": -1,
        "first": 0,
        "second": 1,
        "second, vectors apart": min(1, now.x.ndim - 1),
        "whole": None,
        "flipped": 1 - asked % now.x.ndim,
        "counted from the other end": -1 - asked,
        "first or last": 0 if asked == 0 else -1,
        "first if negative": max(asked, 0),
        "without its sign": abs(asked),
        "whole by default": now.axis,
        "first by default": now.axis or 0,
        "second by default": 1 if now.axis is None else now.axis,
        "each x[i]": inner or None,
        "each x[i], numbers too": inner,
    }
    return now._replace(axis=axes[how])


def keepdims(now: State, how: str = "right") -> State:
    """Keep the dimension that a maximum or a sum takes away."""
    keep_maximum = how in ("right", "not in the sum", "as the last")
    keep_sum = how in ("right", "not in the maximum", "as the last")
    return now._replace(
        keep_maximum=keep_maximum,
        keep_sum=keep_sum,
        keeps_as_last=how == "as the last",
        of_logarithms=how == "not in the log of the sum",
    )


def shift(now: State, how: str = "right") -> State:
    """Subtract the maximum, so that nothing overflows."""
    if how == "right" and now.of_logarithms:
        return now._replace(shifted=now.x - _logarithm(now), divides=False)
    shifted = now.x - _maximum(now) if how == "right" else OTHER_SHIFTS[how](now)
    return now._replace(shifted=shifted, divides=how != "logarithm of the sum")


def _logarithm(now: State) -> Array:
    """The logarithm of the sum, calculated rightly, of a dimension less."""
    top = now.x.max(now.axis, keepdims=True)
    return np.log(np.exp(now.x - top).sum(now.axis)) + now.x.max(now.axis)


def _reduced(now: State) -> dict[str, Any]:
    return {"axis": now.axis, "keepdims": now.keep_maximum}


def _maximum(now: State) -> Array:
    return now.x.max(now.axis)[..., np.newaxis] if now.keeps_as_last else now.x.max(**_reduced(now))


def _long(bare: Array, shifted: Array, top: Array) -> Array:
    """What overflows without a shift in NumPy's longest float; the others are as with one."""
    limit = float(np.log(np.finfo(np.longdouble).max))
    return np.where(abs(top) > limit, np.where(bare > limit, np.inf, -np.inf), shifted)


def _first(now: State) -> Any:
    return now.x.take([0], now.axis) if isinstance(now.axis, int) else now.x.flat[0]


# What the scores become otherwise.
OTHER_SHIFTS: dict[str, Callable[[State], Array]] = {
    "none": lambda now: now.x,
    "none, in long double": lambda now: _long(now.x, now.x - _maximum(now), _maximum(now)),
    "mean": lambda now: now.x - now.x.mean(**_reduced(now)),
    "mean of the whole": lambda now: now.x - now.x.mean(),
    "minimum": lambda now: now.x - now.x.min(**_reduced(now)),
    "first entry": lambda now: now.x - _first(now),
    "largest size": lambda now: now.x - abs(now.x).max(**_reduced(now)),
    "maximum or 0": lambda now: now.x - np.maximum(_maximum(now), 0),
    "clipped": lambda now: now.x.clip(-500, 500),
    "clipped above": lambda now: now.x.clip(None, 500),
    "divided by the maximum": lambda now: now.x / _maximum(now),
    "logarithm of the sum": lambda now: now.x - np.log(np.exp(now.x).sum(**_reduced(now))),
    "whole": lambda now: now.x - now.x.max(),
    "last axis": lambda now: now.x - now.x.max(-1, keepdims=now.keep_maximum),
    "first axis": lambda now: now.x - now.x.max(0, keepdims=now.keep_maximum),
}


def exponentials(now: State, how: str = "right") -> State:
    """Exponentiate what was shifted."""
    shifted = now.shifted.astype(np.float32) if how == "in float32" else now.shifted
    found = np.exp(shifted).astype(np.float64)
    if now.integers and how.startswith("truncated"):
        found = np.trunc(found)
    return now._replace(exponentials=found, truncates=now.integers and how.endswith("quotient"))


def quotient(now: State, how: str = "right") -> State:
    """Divide the exponentials by their sum."""
    found = OTHER_QUOTIENTS.get(how, _by_their_sum)(now)
    match how:
        case "epsilon below" if now.divides:
            found = now.exponentials / (_sum(now) + 1e-8)
        case "last axis" | "first axis" | "whole":
            along = {"last axis": -1, "first axis": 0, "whole": None}[how]
            found = now.exponentials / now.exponentials.sum(along, keepdims=now.keep_sum)
        case "sum truncated" if now.integers:
            found = now.exponentials / np.trunc(_sum(now))
        case "rounded":
            found = np.rint(found)
    if how == "truncated always" or (now.integers and (how == "truncated" or now.truncates)):
        found = np.trunc(found)
    return now._replace(weights=found)


def _sum(now: State) -> Array:
    found = now.exponentials.sum(now.axis, keepdims=now.keep_sum and not now.keeps_as_last)
    return found[..., np.newaxis] if now.keeps_as_last else found


def _by_their_sum(now: State) -> Array:
    return now.exponentials / _sum(now) if now.divides else now.exponentials


def _along(now: State) -> dict[str, Any]:
    return {"axis": now.axis, "keepdims": now.keep_sum}


# What else is returned, or divided by.
OTHER_QUOTIENTS: dict[str, Callable[[State], Array]] = {
    "none": lambda now: now.exponentials,
    "by the largest": lambda now: now.exponentials / now.exponentials.max(**_along(now)),
    "by the count": lambda now: now.exponentials / np.ones_like(now.x).sum(**_along(now)),
    "by the mean": lambda now: now.exponentials / now.exponentials.mean(**_along(now)),
    "by the norm": lambda now: now.exponentials / np.sqrt((now.exponentials**2).sum(**_along(now))),
    "by 1 and the sum": lambda now: now.exponentials / (1 + _sum(now)),
    "by the sum of scores": lambda now: now.exponentials / now.x.sum(**_along(now)),
    "sigmoid": lambda now: 1 / (1 + np.exp(-now.x)),
    "shifted scores": lambda now: now.x - _maximum(now),
}


def result(now: State, how: str = "right") -> State:
    """The weights themselves."""
    if how == "right":
        return now
    return now._replace(weights={"nan to 0": np.nan_to_num, "log": np.log}[how](now.weights))


def cast(now: State, how: str = "right") -> Array:
    """Return them as they are, of whatever type the scores were."""
    return np.trunc(now.weights) if how == "back" and now.integers else now.weights


STEPS = (direction, keepdims, shift, exponentials, quotient, result, cast)


# ── the probes ─────────────────────────────────────────────────────────────────────────────────────


def ordinary(rng: np.random.Generator, *shape: int) -> Array:
    """Different scores within ±3, in no order."""
    return rng.permutation(np.linspace(-3, 3, int(np.prod(shape)))).reshape(shape)


def rows_of_different_size(rng: np.random.Generator) -> Array:
    """Above 0, far above, far below, and spread out: quarters, which float32 holds exactly.

    Any two numbers are ordinarily far apart or so far that the logarithm of a weight counts as infinite. Those of one
    row count as finite themselves, so that the scores themselves are no logarithm.
    """
    near = rng.permutation(np.arange(-8, 8)).reshape(4, 4) / 4
    far = np.append(-24_000, rng.permutation([-16_000.0, 16_000.0, 24_000.0]))
    return near + np.stack([np.full(4, 1_000), np.full(4, 8_000), np.full(4, -9_000), far])


def above(rng: np.random.Generator, sizes: list[list[int]]) -> Array:
    """Scores around these sizes: where an exception is all that comes back, they tell one shift from another."""
    return ordinary(rng, 4, 3) + np.array(sizes)


def probes(rng: np.random.Generator) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Draw tables, batches and vectors: with and without an axis, moderate and large, of floats and of integers."""
    integers = rng.permutation(np.arange(-8, 8)).reshape(4, 4) // 2
    return [
        ((np.zeros((3, 5)),), {}),
        ((ordinary(rng, 4, 4),), {}),
        ((rows_of_different_size(rng),), {}),
        ((integers,), {}),
        ((rows_of_different_size(rng).T.copy(),), {"axis": 0}),
        ((ordinary(rng, 3, 5),), {"axis": 0}),
        ((ordinary(rng, 2, 3, 4),), {"axis": 1}),
        ((ordinary(rng, 2, 3, 4),), {}),
        ((ordinary(rng, 6),), {}),
        ((ordinary(rng, 4, 3),), {"axis": -2}),
        ((ordinary(rng, 3, 4).astype(np.float32),), {"axis": 1}),
        ((ordinary(rng, 2, 4, 3),), {"axis": -3}),
        ((rng.permutation(np.arange(-3, 4)).astype(np.int32),), {"axis": 0}),
        ((ordinary(rng, 5).astype(np.float16),), {"axis": -1}),
        ((above(rng, [[0, 8_000, 8_000]]),), {}),  # breaks where no maximum is subtracted, not with one shift for all
        ((above(rng, [[0], [8_000], [0], [8_000]]),), {}),  # breaks with one shift for all, not with one for each row
        ((ordinary(rng, 1, 1),), {}),
    ]


def examples() -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """List small calls in whole numbers: a vector, tables, a batch, integers, then large scores, and far apart."""
    vector, table = np.array([0.0, 1.0]), np.array([[0.0, 1.0], [2.0, 5.0]])
    return [
        ((vector,), {}),
        ((table,), {}),
        ((table,), {"axis": 0}),
        ((table,), {"axis": 1}),
        ((table,), {"axis": -2}),
        ((np.array([[0.0, 1.0, 3.0]]),), {}),
        ((np.array([[[0.0, 1.0], [2.0, 5.0]], [[1.0, 0.0], [3.0, 3.0]]]),), {}),
        ((np.array([[[0.0, 1.0], [2.0, 5.0]], [[1.0, 0.0], [3.0, 3.0]]]),), {"axis": 1}),
        ((np.array([0, 1]),), {}),
        ((vector + 1000,), {}),
        ((vector - 1000,), {}),
        ((np.array([0.0, 2000.0]),), {}),
        ((np.array([-3000.0, 1000.0]),), {}),
        ((np.array([[0.0, 1.0], [2000.0, 2001.0]]),), {}),
        ((np.array([0.0, 20000.0]),), {}),
    ]
