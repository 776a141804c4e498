"""Scaled dot-product attention taken in steps, and the ways in which each can go wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

SWITCHES: dict[str, dict[str, str]] = {
    "sizes": {  # a size taken for another: it fails, or goes by the wrong one
        "n_q for n_k": "assumes-square",
        "n_q for n_k, under a mask": "assumes-square",
        "d_k for d_v": "assumes-square",
        "all alike": "assumes-square",
        "keys up to n_q": "assumes-square",
        "keys up to n_q, the mask whole": "assumes-square",
        "scores up to n_q": "assumes-square",  # the others stay 0
        "values up to n_q": "assumes-square",
        "n_k rows": "assumes-square",
        "n_k rows, queries cut": "assumes-square",
        "queries up to n_k": "assumes-square",  # the others get 0
        "d_k columns": "assumes-square",
        "d_k columns, values cut": "assumes-square",
    },
    "arithmetic": {  # with float16
        "queries scaled in float16": "",
        "product in float16": "half-precision-overflow",
    },
    "scores": {
        "K Qᵀ": "transposed-scores",
        "K Qᵀ, and the mask": "transposed-scores",
        "Q Vᵀ, for K": "values-swapped",
    },
    "scale": {
        "none": "missing-scaling",
        "d_k": "wrong-scaling",
        "sqrt d_v": "wrong-scaling",
        "d_v": "wrong-scaling",
        "sqrt n_k": "wrong-scaling",
        "n_k": "wrong-scaling",
        "sqrt n_q": "wrong-scaling",
        "n_q": "wrong-scaling",
        "fourth root of d_k": "wrong-scaling",
        "sqrt 2 d_k": "wrong-scaling",
        "sqrt of all queries": "wrong-scaling",  # n_q × d_k numbers
        "sqrt of all keys": "wrong-scaling",
        "8": "wrong-scaling",
        "sqrt 512": "wrong-scaling",
        "64": "wrong-scaling",
        "half d_k": "wrong-scaling",  # d_k ** 1/2
        "twice d_k": "wrong-scaling",  # scores / d_k ** 1/2
        "times sqrt d_k": "wrong-scaling",
        "times d_k": "wrong-scaling",
        "weights by sqrt d_k": "scaling-after-softmax",
        "weights by d_k": "scaling-after-softmax",
        "weights times sqrt d_k": "scaling-after-softmax",
        "output by sqrt d_k": "scaling-after-softmax",
        "output by d_k": "scaling-after-softmax",
        "scores and weights by sqrt d_k": "scaling-after-softmax",
    },
    "choice": {  # of the mask
        "none": "mask-ignored",
        "causal": "mask-ignored",
        "causal for any": "mask-ignored",
        "causal for none": "mask-ignored",
        "causal as well": "mask-ignored",
        "inverted": "mask-inverted",
        "inverted, hiding by -1e9": "mask-inverted",  # which tells where a row is hidden whole
        "inverted, hiding by less 1e9": "mask-inverted",
    },
    "masking": {  # what becomes of disallowed scores, or of weights
        "-1e4": "",
        "weights 0": "mask-after-softmax",
        "weights 0, shared anew": "mask-after-softmax",
        "weights 0, shared anew with epsilon": "mask-after-softmax",
        "weights set to 0": "mask-after-softmax",  # which leaves no nan there, as a product with 0 does
        "weights set to 0, shared anew": "mask-after-softmax",
        "weights set to 0, shared anew with epsilon": "mask-after-softmax",
        "weights -inf": "mask-after-softmax",
        "0": "weak-mask",  # as 1e-9, or anything else that small
        "-1": "weak-mask",
        "-10": "weak-mask",
        "-100": "weak-mask",
        "-1000": "weak-mask",
        "minimum": "weak-mask",
        "1e9": "weak-mask",
        "product": "weak-mask",
        "times -1e9": "weak-mask",
        "less 5": "weak-mask",
        "less 10": "weak-mask",
        "less 100": "weak-mask",
        "less 10000": "weak-mask",
        "added": "mask-added",
        "added before scaling": "mask-added",
        "0 times inf": "mask-nan",
        "times -inf": "mask-nan",
        "by 0": "mask-nan",
    },
    "weights": {
        "scores": "no-softmax",
        "scores by their sum": "no-softmax",
        "over queries": "softmax-wrong-axis",
        "over everything": "softmax-wrong-axis",
    },
    "keepdims": {
        "not in the maximum": "missing-keepdims",
        "not in the sum": "missing-keepdims",
        "nowhere": "missing-keepdims",
        "not in the log of the sum": "missing-keepdims",
    },
    "shift": {
        "none": "overflow",
        "none, in long double": "overflow",
        "mean": "overflow",
        "mean of the whole": "overflow",
        "minimum": "overflow",
        "first entry": "overflow",
        "largest size": "overflow",  # the maximum of |score|
        "maximum or 0": "overflow",  # a search for the maximum that begins at 0
        "clipped to 500": "overflow",  # from -500; what a mask hides as well
        "clipped to 30": "overflow",
        "clipped to 20": "overflow",
        "clipped to 10": "overflow",
        "clipped to 500, then masked": "overflow",
        "clipped to 30, then masked": "overflow",
        "clipped to 20, then masked": "overflow",
        "clipped to 10, then masked": "overflow",
        "clipped above": "overflow",
        "divided by the maximum": "overflow",
        "logarithm of the sum": "overflow",  # of bare exponentials
        "whole": "underflow",
        "over queries": "softmax-wrong-axis",
    },
    "exponentials": {"in float32": ""},
    "quotient": {
        "epsilon below": "",
        "nan to 0": "",
        "over queries": "softmax-wrong-axis",
        "over everything": "softmax-wrong-axis",
    },
    "result": {"weights": "returns-weights", "tuple": "returns-tuple"},
    "values": {"K": "values-swapped", "Q": "values-swapped"},
}


class State(NamedTuple):
    """The arguments in float64, what earlier steps leave to later ones, and what has become of the scores."""

    Q: Array
    K: Array
    V: Array
    mask: Array | None
    half: bool
    sizes: str = ""
    arithmetic: str = ""
    factors: tuple[Array, ...] = ()  # of the scores
    divisor: float = 1.0  # of the scores
    late_divisors: tuple[float, float] = (1.0, 1.0)  # of the weights and of the output
    hiding: str = "-inf"
    masking: str = ""  # what is left to do to the weights
    softmax: bool = True
    divides: bool = True
    axis: int | None = -1
    of_logarithms: bool = False  # whether the logarithm of the sum is subtracted, in place of a division
    keep_maximum: bool = True
    keep_sum: bool = True
    scores: Array | None = None
    weights: Array | None = None
    result: str = "right"


def attention(Q: Array, K: Array, V: Array, mask: Array | None = None, **settings: str) -> Any:
    """softmax(Q Kᵀ / √d_k) V, as in "Attention Is All You Need" (2017), section 3.2.1.

    `settings` say which steps are taken otherwise.
    """
    state: Any = begin(Q, K, V, mask)
    for step in STEPS:
        state = step(state, settings.get(step.__name__, "right"))
    return state


def begin(Q: Array, K: Array, V: Array, mask: Array | None = None) -> State:
    """Calculate in float64, but for what `arithmetic` says of float16."""
    wide = (part.astype(np.float64) for part in (Q, K, V))
    return State(*wide, mask, half=Q.dtype == np.float16)


def sizes(now: State, how: str = "right") -> State:
    """Read n_q, n_k, d_k and d_v each from an array that has it."""
    (n_q, d_k), (n_k, d_v) = now.Q.shape, now.V.shape
    fails = {
        "n_q for n_k": n_q != n_k,
        "n_q for n_k, under a mask": n_q != n_k and now.mask is not None,
        "d_k for d_v": d_k != d_v,
        "all alike": n_q != n_k or d_k != d_v,
        "keys up to n_q": n_q > n_k,
        "keys up to n_q, the mask whole": n_q > n_k or (n_q != n_k and now.mask is not None),
        "scores up to n_q": n_q > n_k,
        "values up to n_q": n_q > n_k,
        "n_k rows": n_q > n_k,
        "n_k rows, queries cut": n_q < n_k,
        "queries up to n_k": n_q < n_k,
        "d_k columns": d_v > d_k,
        "d_k columns, values cut": d_v < d_k,
    }
    if fails.get(how):
        raise ValueError("sizes that do not fit")
    if how.startswith("keys up to n_q"):
        mask = None if now.mask is None else now.mask[:, :n_q]
        return now._replace(K=now.K[:n_q], V=now.V[:n_q], mask=mask)
    late = n_q != n_k if how in LATE_ROWS else d_k != d_v and how in LATE_COLUMNS
    return now._replace(sizes=how) if late else now


# What shows in the numbers, where it does not fail.
LATE_ROWS = ("scores up to n_q", "values up to n_q", "n_k rows", "n_k rows, queries cut", "queries up to n_k")
LATE_COLUMNS = ("d_k columns", "d_k columns, values cut")


def arithmetic(now: State, how: str = "right") -> State:
    """Leave float16 before anything can grow too large for it."""
    return now._replace(arithmetic=how) if now.half and how != "right" else now


def scores(now: State, how: str = "right") -> State:
    """Multiply queries and keys: row i holds the scores of query i."""
    left, right, V, mask = now.Q, now.K, now.V, now.mask
    if how.startswith("K Qᵀ"):
        left, right = right, left
        mask = mask.T if mask is not None and how.endswith("mask") else mask
    elif how == "Q Vᵀ, for K":
        right, V = V, right
    found = _product(left, right, np.float16 if now.arithmetic == "product in float16" else np.float64)
    if now.sizes == "scores up to n_q":
        found = np.where(np.arange(found.shape[1]) < len(now.Q), found, 0)
    return now._replace(factors=(left, right), V=V, mask=mask, scores=found)


def _product(left: Array, right: Array, dtype: Any) -> Array:
    return (left.astype(dtype) @ right.astype(dtype).T).astype(np.float64)


def scale(now: State, how: str = "right") -> State:
    """Divide the scores by √d_k."""
    (n_q, d_k), (n_k, d_v) = now.Q.shape, now.V.shape
    divisors = {
        "right": d_k**0.5,
        "none": 1,
        "d_k": d_k,
        "sqrt d_v": d_v**0.5,
        "d_v": d_v,
        "sqrt n_k": n_k**0.5,
        "n_k": n_k,
        "sqrt n_q": n_q**0.5,
        "n_q": n_q,
        "fourth root of d_k": d_k**0.25,
        "sqrt 2 d_k": (2 * d_k) ** 0.5,
        "sqrt of all queries": now.Q.size**0.5,
        "sqrt of all keys": now.K.size**0.5,
        "8": 8,
        "sqrt 512": 512**0.5,
        "64": 64,
        "half d_k": d_k / 2,
        "twice d_k": d_k * 2,
        "times sqrt d_k": d_k**-0.5,
        "times d_k": 1 / d_k,
    }
    late = LATE_SCALES.get(how, {})
    divisor = divisors.get(how, d_k ** late.get("scores", 0.0))
    now = now._replace(late_divisors=(d_k ** late.get("weights", 0.0), d_k ** late.get("output", 0.0)))
    if now.arithmetic == "queries scaled in float16" and divisor != 1:
        left, right = now.factors
        return now._replace(scores=_product(left / divisor, right, np.float16))
    # Where there is no mask to be scaled with the scores, ways that give the same scores are to stay one.
    return now._replace(divisor=1.0 if now.mask is None else divisor, scores=now.scores / divisor)


# What is divided after the softmax, and by which power of d_k.
LATE_SCALES = {
    "weights by sqrt d_k": {"weights": 0.5},
    "weights by d_k": {"weights": 1.0},
    "weights times sqrt d_k": {"weights": -0.5},
    "output by sqrt d_k": {"output": 0.5},
    "output by d_k": {"output": 1.0},
    "scores and weights by sqrt d_k": {"scores": 0.5, "weights": 0.5},
}


def choice(now: State, how: str = "right") -> State:
    """Use the mask that is given, and none where none is."""
    how, _, hiding = how.partition(", hiding by ")
    if now.mask is None and how not in ("causal", "causal for none", "causal as well"):
        return now
    causal = np.tri(len(now.Q), len(now.K), dtype=bool)
    given = causal if now.mask is None else now.mask
    used = {
        "none": None,
        "inverted": ~given,
        "causal": causal,
        "causal for any": causal,
        "causal as well": causal & given,
    }
    return now._replace(mask=used.get(how, given), hiding=hiding or now.hiding)


def masking(now: State, how: str = "right") -> State:
    """Replace disallowed scores by -inf, before the softmax."""
    if now.mask is None:
        return now
    if how.startswith("weights"):
        return now._replace(masking=how)
    if how == "added before scaling":
        return now._replace(scores=now.scores + now.mask / now.divisor)
    return now._replace(scores=_masked(now.scores, now.mask, now.hiding if how == "right" else how))


def _masked(scores: Array, allowed: Array, how: str) -> Array:
    match how.split():
        case ["minimum"]:
            return np.where(allowed, scores, scores.min())
        case ["product"]:
            return scores * allowed
        case ["times", factor]:
            return scores * np.where(allowed, 1, float(factor))
        case ["less", amount]:
            return scores - float(amount) * ~allowed
        case ["added"]:
            return scores + allowed
        case ["0", "times", "inf"]:
            return scores + (1 - allowed) * -np.inf
        case ["by", "0"]:
            return scores / allowed
        case [value]:
            return np.where(allowed, scores, float(value))
    raise KeyError(how)


def weights(now: State, how: str = "right") -> State:
    """Make weights by a softmax over the keys."""
    match how:
        case "scores":
            return now._replace(softmax=False, weights=now.scores)
        case "scores by their sum":
            return now._replace(softmax=False, weights=now.scores / now.scores.sum(-1, keepdims=True))
    return now._replace(axis={"right": -1, "over queries": 0, "over everything": None}[how])


def keepdims(now: State, how: str = "right") -> State:
    """Keep the dimension that a maximum or a sum takes away."""
    if not now.softmax:
        return now
    keep_maximum = how in ("right", "not in the sum")
    keep_sum = how in ("right", "not in the maximum")
    return now._replace(keep_maximum=keep_maximum, keep_sum=keep_sum, of_logarithms=how == "not in the log of the sum")


def shift(now: State, how: str = "right") -> State:
    """Subtract the maximum, so that nothing overflows."""
    if not now.softmax:
        return now
    if how == "right" and now.of_logarithms:
        return now._replace(scores=now.scores - _logarithm(now), divides=False)
    if how.startswith("clipped to"):
        return now._replace(scores=_clipped(now, *how.removeprefix("clipped to ").split(", ")))
    shifted = now.scores - _maximum(now) if how == "right" else OTHER_SHIFTS[how](now)
    return now._replace(scores=shifted, divides=how != "logarithm of the sum")


def _clipped(now: State, limit: str, order: str = "") -> Array:
    clipped = now.scores.clip(-float(limit), float(limit))
    return np.where(now.scores == -np.inf, -np.inf, clipped) if order else clipped


def _logarithm(now: State) -> Array:
    """The logarithm of the sum, calculated rightly, of a dimension less."""
    top = now.scores.max(now.axis, keepdims=True)
    return np.log(np.exp(now.scores - top).sum(now.axis)) + now.scores.max(now.axis)


def _reduced(now: State) -> dict[str, Any]:
    return {"axis": now.axis, "keepdims": now.keep_maximum}


def _maximum(now: State) -> Array:
    return now.scores.max(**_reduced(now))


def _long(bare: Array, shifted: Array, top: Array) -> Array:
    """What overflows without a shift in NumPy's longest float; the others are as with one."""
    limit = float(np.log(np.finfo(np.longdouble).max))
    return np.where(abs(top) > limit, np.where(bare > limit, np.inf, -np.inf), shifted)


def _first(now: State) -> Any:
    return now.scores.take([0], now.axis) if isinstance(now.axis, int) else now.scores.flat[0]


# What the scores become otherwise.
OTHER_SHIFTS: dict[str, Callable[[State], Array]] = {
    "none": lambda now: now.scores,
    "none, in long double": lambda now: _long(now.scores, now.scores - _maximum(now), _maximum(now)),
    "mean": lambda now: now.scores - now.scores.mean(**_reduced(now)),
    "mean of the whole": lambda now: now.scores - now.scores.mean(),
    "minimum": lambda now: now.scores - now.scores.min(**_reduced(now)),
    "first entry": lambda now: now.scores - _first(now),
    "largest size": lambda now: now.scores - abs(now.scores).max(**_reduced(now)),
    "maximum or 0": lambda now: now.scores - np.maximum(_maximum(now), 0),
    "clipped above": lambda now: now.scores.clip(None, 500),
    "divided by the maximum": lambda now: now.scores / _maximum(now),
    "logarithm of the sum": lambda now: now.scores - np.log(np.exp(now.scores).sum(**_reduced(now))),
    "whole": lambda now: now.scores - now.scores.max(),
    "over queries": lambda now: now.scores - now.scores.max(0, keepdims=now.keep_maximum),
}


def exponentials(now: State, how: str = "right") -> State:
    """Exponentiate what was shifted."""
    if not now.softmax:
        return now
    shifted = now.scores.astype(np.float32) if how == "in float32" else now.scores
    return now._replace(scores=None, weights=np.exp(shifted).astype(np.float64))


def quotient(now: State, how: str = "right") -> State:
    """Divide the exponentials by their sum. What was left to be done to the weights is done here."""
    found = now.weights
    if now.softmax and now.divides:
        axis = {"over queries": 0, "over everything": None}.get(how, now.axis)
        found = found / (found.sum(axis, keepdims=now.keep_sum) + (1e-8 if how == "epsilon below" else 0))
    if now.masking:
        found = _masked_late(found, now.mask, now.masking)
    if how == "nan to 0":
        found = np.nan_to_num(found)
    return now._replace(weights=found / now.late_divisors[0])


def _masked_late(weights: Array, allowed: Array, how: str) -> Array:
    if how == "weights -inf":
        return np.where(allowed, weights, -np.inf)
    left = np.where(allowed, weights, 0) if "set" in how else weights * allowed
    if not how.partition(", ")[1]:
        return left
    return left / (left.sum(-1, keepdims=True) + (1e-8 if how.endswith("epsilon") else 0))


def result(now: State, how: str = "right") -> State:
    """Return the output alone. A tuple is one whatever is in it beside the output."""
    return now._replace(result=how)


def values(now: State, how: str = "right") -> Any:
    """Average the values."""
    if now.result == "weights":
        return now.weights
    averaged = {"right": now.V, "K": now.K, "Q": now.Q}[how]
    if now.sizes == "values up to n_q":
        averaged = np.where(np.arange(len(averaged)) < len(now.Q), averaged.T, 0).T
    output = _sized(now, now.weights @ averaged / now.late_divisors[1])
    return (output,) if now.result == "tuple" else output


def _sized(now: State, output: Array) -> Array:
    """The output in the place that was made for it."""
    rows, columns = len(now.K), now.Q.shape[1]
    match now.sizes:
        case "n_k rows":
            return np.pad(output, ((0, rows - len(output)), (0, 0)))
        case "n_k rows, queries cut":
            return output[:rows]
        case "queries up to n_k":
            return np.where(np.arange(len(output)) < rows, output.T, 0).T
        case "d_k columns":
            return np.pad(output, ((0, 0), (0, max(0, columns - output.shape[1]))))
        case "d_k columns, values cut":
            return output[:, :columns]
    return output


STEPS = (
    sizes,
    arithmetic,
    scores,
    scale,
    choice,
    masking,
    weights,
    keepdims,
    shift,
    exponentials,
    quotient,
    result,
    values,
)


# ── the probes ─────────────────────────────────────────────────────────────────────────────────────


def spread(rng: np.random.Generator, low: float, high: float, *shape: int) -> Array:
    """Different numbers from low to high, evenly spread, in no order."""
    return rng.permutation(np.linspace(low, high, int(np.prod(shape)))).reshape(shape)


def alike(rng: np.random.Generator, n_q: int, n_k: int, d_k: int, d_v: int) -> tuple[Array, Array, Array]:
    """Queries of zeros: all scores are 0, however they are scaled and shifted, and all keys weigh alike."""
    return np.zeros((n_q, d_k)), spread(rng, -1.5, 1.5, n_k, d_k), spread(rng, -10, 10, n_k, d_v)


def moderate(rng: np.random.Generator, n_q: int, n_k: int, d_k: int, d_v: int) -> tuple[Array, Array, Array]:
    """Queries, keys and values whose scores are a few units apart, however they are scaled."""
    return spread(rng, -1.5, 1.5, n_q, d_k), spread(rng, -1.5, 1.5, n_k, d_k), spread(rng, -10, 10, n_k, d_v)


def placed(scores: Array, V: Array) -> tuple[Array, Array, Array]:
    """Four queries of d_k = 4 with exactly these scaled scores, in float32 as well: sums of one term, halved."""
    return 2 * np.eye(4), scores.T.copy(), V


def quarters(rng: np.random.Generator, n_q: int, n_k: int) -> Array:
    """Different scores around 0 that any float holds exactly, and their sums with thousands as well."""
    return rng.permutation(np.arange(-n_q * n_k // 2, n_q * n_k // 2)).reshape(n_q, n_k) / 4


def irregular(rng: np.random.Generator, n_k: int) -> Array:
    """A mask (4, n_k): True and False in each row and column, and in row i a True up to column i."""
    mask = (np.arange(4)[:, np.newaxis] + rng.permutation(n_k)) % 4 < 2
    return mask[np.argsort(mask.argmax(axis=1), kind="stable")]


def irregular_but_one(rng: np.random.Generator, n_k: int) -> Array:
    """The same, but for the last query, which may see all keys."""
    mask = irregular(rng, n_k)
    mask[-1] = True
    return mask


def low(rng: np.random.Generator) -> tuple[Any, ...]:
    """Scores near -4,000 under a mask: any value that is not far below takes all the weight, whichever it is."""
    return (*placed(quarters(rng, 4, 4) - 4_000, spread(rng, 1, 3, 4, 4)), irregular(rng, 4))


def lower(rng: np.random.Generator, n_k: int, d_v: int) -> tuple[Any, ...]:
    """Allowed scores near -40, disallowed ones near 1 for one query, near -90 for another, near -40 for the others."""
    allowed = irregular_but_one(rng, n_k)
    disallowed = np.append(rng.permutation([1.5, -90, -40]), -40)[:, np.newaxis]
    scores = quarters(rng, 4, n_k) * 4 / n_k / 2 + np.where(allowed, -40, disallowed)
    return (*placed(scores, spread(rng, 1, 3, n_k, d_v)), allowed)


def huge_disallowed(rng: np.random.Generator) -> tuple[Any, ...]:
    """Allowed scores near 20; of the disallowed ones one is near 40,000, one near -40,000, or both, for one query."""
    allowed = irregular_but_one(rng, 4)
    signs = np.where(np.cumsum(~allowed, axis=1) == rng.integers(1, 3, (4, 1)), 1, -1)
    signs[rng.integers(3)] = -1
    scores = quarters(rng, 4, 4) + np.where(allowed, 20, 40_000 * signs)
    return (*placed(scores, spread(rng, 1, 3, 4, 4)), allowed)


def large(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Rows of scores far above 0, far below, around 0, and far apart."""
    far = np.append(-25_000, rng.permutation([-1_000, 1_000, 20_000]))
    sizes = np.stack([np.full(4, 3_000), np.full(4, -9_000), np.zeros(4), far])
    return placed(quarters(rng, 4, 4) + sizes, spread(rng, -10, 10, 4, 4))


def above(rng: np.random.Generator, sizes: list[list[int]]) -> tuple[Array, Array, Array]:
    """Scores around these sizes: where an exception is all that comes back, they tell one shift from another."""
    return placed(quarters(rng, 4, 4) + np.array(sizes), spread(rng, -10, 10, 4, 4))


def half(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Scores in float16, d_k = 16: for two queries the products overflow before they are scaled, for two they do not.

    Query i matches key i best, the next key less; the largest scaled score leads by hundreds. The values are so
    small that not even scores used as weights make an output overflow.
    """
    block = np.eye(4).repeat(4, axis=1)
    Q = rng.permutation([158.0, 165.0, 30.0, 24.0])[:, np.newaxis] * block
    K = rng.permutation([140.0, 145.0, 150.0, 155.0])[:, np.newaxis] * (block + 0.75 * np.roll(block, -1, axis=0))
    V = spread(rng, 0.02, 0.06, 4, 16)
    return Q.astype(np.float16), K.astype(np.float16), V.astype(np.float16)


def probes(rng: np.random.Generator) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Draw calls for everything that can go wrong.

    First the one where least can: it settles most at little cost. Most have n_q = n_k and d_k = d_v, so that a wrong
    shape does not hide wrong numbers; where shapes are to speak, all sizes differ.
    """
    calls = [
        alike(rng, 5, 3, 2, 6),
        moderate(rng, 4, 4, 4, 4),
        large(rng),
        moderate(rng, 3, 5, 6, 2),
        low(rng),
        huge_disallowed(rng),
        lower(rng, 4, 4),
        half(rng),
        lower(rng, 6, 3),
        tuple(part.astype(np.float32) for part in moderate(rng, 7, 4, 3, 5)),
        moderate(rng, 5, 5, 3, 6),
        moderate(rng, 6, 3, 4, 4),
        above(rng, [[0, 2_000, 2_000, 0]]),  # breaks where no maximum is subtracted, not where the whole array's is
        above(rng, [[0], [1_000], [0], [1_000]]),  # breaks with one shift for all, not with one for each row
        moderate(rng, 1, 1, 1, 1),
    ]
    return [(parts[:3], {"mask": parts[3]} if len(parts) == 4 else {}) for parts in calls]


def examples() -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """List small calls in whole numbers: ordinary ones, other sizes, masks, then scores large, low, and in float16."""
    calls: list[tuple[Any, ...]] = [
        ([[1, 0], [0, 1]], [[1, 0], [2, 1]], [[3, 0], [0, 6]]),
        ([[1, 0]], [[1, 0], [2, 1]], [[3, 0], [0, 6]]),
        ([[1, 0], [0, 1]], [[1, 0]], [[3, 6]]),
        ([[1, 0], [0, 1]], [[1, 0], [2, 1]], [[3], [6]]),
        ([[1, 0], [0, 1]], [[1, 0], [2, 1]], [[3, 0, 1], [0, 6, 2]]),
        ([[1, 2]], [[1, 0], [2, 1], [0, 1]], [[3], [6], [9]]),
        ([[1, 2, 3]], [[1, 0, 0], [0, 1, 0]], [[3], [6]]),
        ([[1, 0], [0, 1]], [[1, 0], [2, 1]], [[3, 0], [0, 6]], [[1, 0], [1, 1]]),
        ([[1, 0], [0, 1]], [[1, 0], [2, 1]], [[3, 0], [0, 6]], [[0, 1], [1, 0]]),
        ([[1]], [[1], [2]], [[3], [6]], [[1, 0]]),
        ([[1]], [[2], [-1]], [[3], [6]], [[1, 0]]),
        ([[1]], [[-60], [2]], [[3], [6]], [[1, 0]]),
        ([[1]], [[-4000], [3]], [[3], [6]], [[1, 0]]),
        ([[1]], [[0], [40000]], [[3], [6]], [[1, 0]]),
        ([[1000], [1]], [[1], [2]], [[3], [6]]),
        ([[1000], [-1000]], [[1], [1]], [[3], [6]]),
        ([[1]], [[-1000], [1000]], [[3], [6]]),
        ([[1]], [[-2000], [1000]], [[3], [6]]),
    ]
    queries_and_keys = (np.outer(sizes, np.ones(9)) for sizes in ([90], [90, 0]))  # 72,900 is no float16, a third is
    half = tuple(np.float16(part) for part in (*queries_and_keys, [[3], [6]]))
    floats = [(tuple(np.array(part, float) for part in parts[:3]), parts[3:]) for parts in calls]
    return [(parts, {"mask": np.array(mask[0], bool)} if mask else {}) for parts, mask in floats] + [(half, {})]


def maps() -> list[tuple[str, str, str, tuple[tuple[Any, ...], dict[str, Any]]]]:
    """Show the weights of five tokens: with the identity for V the output is the weights."""
    queries = np.array([[2, 0, 1, 0], [0, 3, 0, 1], [1, 1, 2, 0], [0, 0, 1, 3], [3, 1, 0, 1]], float)
    keys = np.array([[1, 0, 2, 0], [0, 2, 0, 1], [2, 1, 0, 0], [0, 1, 1, 2], [1, 0, 3, 1]], float)
    call = (queries, keys, np.eye(5))
    causal = np.tri(5, dtype=bool)
    return [
        ("attention weights", "query", "key", (call, {})),
        ("attention weights, with a causal mask", "query", "key", (call, {"mask": causal})),
    ]
