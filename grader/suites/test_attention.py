"""The hidden suite of `attention`: 50 points.

So that one fault is paid for once, most tests have as many queries as keys and values as wide as keys, and a test
that is not about scaling has d_k = 1, where √d_k changes nothing, or compares the function with itself. Where
scores are extreme, two keys share the largest one: no exact difference of scores decides, and picking one key is
no answer. `mirrored` sees to it that answers which do not heed queries, keys and values earn nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import DTypeLike, NDArray

Array = NDArray[Any]

# Faults that show in every answer. (A causal mask that is always applied, one way of ignoring the mask, shows
# without a mask too.)
CORE = ("no-softmax", "values-swapped", "returns-weights", "returns-tuple", "mask-ignored")
# Faults in which score goes where: they show wherever the queries are not alike.
PLACES = ("softmax-wrong-axis", "transposed-scores", "missing-keepdims")
SCALING = ("missing-scaling", "wrong-scaling", "scaling-after-softmax")
MASKING = ("mask-after-softmax", "mask-inverted", "weak-mask", "mask-added", "mask-nan")


def right_output(Q: Array, K: Array, V: Array, mask: Array | bool = True) -> Array:
    """softmax(Q Kᵀ / √d_k) V in float64, the disallowed scores removed before the softmax."""
    scores = Q.astype(np.float64) @ K.astype(np.float64).T / np.sqrt(Q.shape[1])
    scores = np.where(mask, scores, -np.inf)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True) @ V.astype(np.float64)


def normal(rng: Generator, n_q: int, n_k: int, d_k: int, d_v: int) -> tuple[Array, Array, Array]:
    """Queries, keys and values of standard normal entries: scaled scores of about ±1, few beyond ±4."""
    return rng.normal(size=(n_q, d_k)), rng.normal(size=(n_k, d_k)), rng.normal(size=(n_k, d_v))


def mirrored(rng: Generator) -> tuple[Array, Array, Array]:
    """Queries q and -q for keys k and -k with values v and -v: opposite queries must get opposite outputs."""
    q, k, v = rng.uniform(1.5, 2.5, 4), rng.uniform(0.03, 0.05, 4), rng.uniform(0.5, 1, 4) * [1, -1, 1, -1]
    return np.stack([q, -q]), np.stack([k, -k]), np.stack([v, -v])


def heeds(output: Array, V: Array, expect: Any, case: str, dtype: DTypeLike = np.float64) -> None:
    """`output` leans towards v for query q, and as far towards -v for -q: so far all scalings agree."""
    expect.shape(output, V.shape, case)
    expect.finite(output, case)
    share = output[0] / V[0]
    leans = (share > 0.001).all() and (share < 0.999).all()
    assert leans, f"{case}, a query should lean towards the value whose key it matches, but not take it alone."
    expect.close(output[1], -output[0], f"{case}, for the opposite query", dtype)


def must_heed(attention: Any, rng: Generator, expect: Any) -> None:
    """Queries, keys and values have their say in what the function answers."""
    Q, K, V = mirrored(rng)
    heeds(attention(Q, K, V), V, expect, "With two opposite keys")


# ── right outputs ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.points(2)
@pytest.mark.targets("wrong-scaling", *PLACES, *CORE)
@pytest.mark.example("attention(np.array([[1.0], [2.0]]), np.array([[1.0], [-1.0]]), np.array([[1.0], [2.0]]))")
def test_one_feature(attention: Any, rng: Generator, expect: Any) -> None:
    """Queries and keys of one number each (d_k = 1) give the right output"""
    Q, K, V = normal(rng, n_q=5, n_k=5, d_k=1, d_v=1)
    expect.close(attention(Q, K, V), right_output(Q, K, V), "With d_k = 1")


@pytest.mark.points(5)
@pytest.mark.targets(*SCALING, *PLACES, *CORE)
@pytest.mark.example("attention(np.eye(4), np.eye(4), np.eye(4))")
def test_four_features(attention: Any, rng: Generator, expect: Any) -> None:
    """Queries and keys of four numbers each (d_k = 4) give the right output, however often it is asked"""
    first, second = normal(rng, 6, 6, d_k=4, d_v=4), normal(rng, 6, 6, d_k=4, d_v=4)
    for Q, K, V in (first, second, first):
        expect.close(attention(Q, K, V), right_output(Q, K, V), "With d_k = 4")


@pytest.mark.points(4)
@pytest.mark.targets(*SCALING, *PLACES, *CORE)
@pytest.mark.example("attention(np.eye(2, 64), np.eye(2, 64), np.eye(2, 64))[:, :2]")
def test_many_features(attention: Any, rng: Generator, expect: Any) -> None:
    """Queries and keys of 64 numbers each (d_k = 64), in float32, give the right output"""
    Q, K, V = (part.astype(np.float32) for part in normal(rng, 5, 5, d_k=64, d_v=64))
    expect.close(attention(Q, K, V), right_output(Q, K, V), "With d_k = 64 and float32")


@pytest.mark.points(3)
@pytest.mark.targets("assumes-square", "wrong-scaling", *PLACES, *CORE)
@pytest.mark.example("attention(np.ones((1, 1)), np.ones((2, 1)), np.array([[1.0], [2.0]]))")
def test_more_keys_than_queries_or_fewer(attention: Any, rng: Generator, expect: Any) -> None:
    """As many queries as you like may meet as many keys as you like (n_q ≠ n_k)"""
    for n_q, n_k in ((3, 7), (6, 2)):
        Q, K, V = normal(rng, n_q, n_k, d_k=1, d_v=1)
        expect.close(attention(Q, K, V), right_output(Q, K, V), f"With {n_q} queries and {n_k} keys")


@pytest.mark.points(3)
@pytest.mark.targets("assumes-square", *SCALING, *PLACES, *CORE)
@pytest.mark.example("attention(np.eye(2, 4), np.eye(2, 4), np.eye(2, 5))")
def test_values_wider_than_keys_or_narrower(attention: Any, rng: Generator, expect: Any) -> None:
    """Values may be wider or narrower than keys (d_v ≠ d_k)"""
    for d_v in (9, 2):
        Q, K, V = normal(rng, 5, 5, 4, d_v)
        expect.close(attention(Q, K, V), right_output(Q, K, V), f"With d_k = 4 and d_v = {d_v}")


@pytest.mark.points(1)
@pytest.mark.targets("scaling-after-softmax", "softmax-wrong-axis", "missing-keepdims", *CORE)
@pytest.mark.example("attention(np.eye(2, 4), np.eye(2, 4), np.ones((2, 4)))")
def test_constant_values(attention: Any, rng: Generator, expect: Any) -> None:
    """Where all values are alike, every query gets that value"""
    Q, K, _ = normal(rng, 5, 5, 4, 4)
    V = np.tile(rng.normal(size=4), (5, 1))
    expect.close(attention(Q, K, V), V, "With all values alike")
    must_heed(attention, rng, expect)


@pytest.mark.points(1)
@pytest.mark.targets("scaling-after-softmax", "softmax-wrong-axis", "missing-keepdims", *CORE)
@pytest.mark.example("attention(np.eye(2, 4), np.eye(2, 4), np.full((2, 4), 5) + np.eye(2, 4))")
def test_range_of_the_values(attention: Any, rng: Generator, expect: Any) -> None:
    """Every output lies between the smallest and the largest value"""
    Q, K, V = normal(rng, 5, 5, 4, 4)
    V = 100 + V
    output = attention(Q, K, V)
    expect.shape(output, V.shape, "With values near 100")
    within = (output > V.min(axis=0) - 1e-4) & (output < V.max(axis=0) + 1e-4)
    outside = np.count_nonzero(~within)
    assert not outside, f"With values near 100, {outside} of {output.size} numbers leave the range of the values."
    must_heed(attention, rng, expect)


# ── masks ──────────────────────────────────────────────────────────────────────────────────────────


def climbing(rng: Generator, n_q: int, n_k: int, d_k: int, d_v: int) -> tuple[Array, Array, Array]:
    """Keys that match better the later they come: a glimpse of a hidden one shows. Scaled scores of about -9 to -2.

    All scores are below 0, so a disallowed score that is set to 0, or a little less, outweighs the allowed ones.
    """
    Q = rng.uniform(2.5, 3, (n_q, d_k))
    K = np.linspace(-3, -1, n_k)[:, np.newaxis] * rng.uniform(0.95, 1, (n_k, d_k)) / np.sqrt(d_k)
    return Q, K, rng.uniform(1, 2, (n_k, d_v))


def irregular(rng: Generator, n_q: int, n_k: int) -> NDArray[np.bool_]:
    """Key 0 is allowed for all queries, and no other for query 0; query 1 may see the last key; chance says the rest."""
    mask = rng.random((n_q, n_k)) < 0.5
    mask[:, 0], mask[0, 1:], mask[1, -1] = True, False, True
    return mask


@pytest.mark.points(3)
@pytest.mark.targets(*MASKING, "wrong-scaling", *PLACES, *CORE)
@pytest.mark.example("attention(np.eye(2), np.eye(2), np.eye(2), mask=np.tri(2, dtype=bool))")
def test_causal_mask(attention: Any, rng: Generator, expect: Any) -> None:
    """With a causal mask, no query sees a later key"""
    Q, K, V = climbing(rng, 6, 6, d_k=1, d_v=1)
    mask = np.tri(6, dtype=bool)
    expect.close(attention(Q, K, V, mask=mask), right_output(Q, K, V, mask), "With a causal mask")


@pytest.mark.points(3)
@pytest.mark.targets(*MASKING, "wrong-scaling", *PLACES, *CORE)
@pytest.mark.example("attention(np.eye(2), np.eye(2), np.eye(2), mask=np.eye(2) < 1)")
def test_irregular_mask(attention: Any, rng: Generator, expect: Any) -> None:
    """With an irregular mask, each query sees the keys that its row allows"""
    Q, K, V = climbing(rng, 6, 6, d_k=1, d_v=1)
    mask = irregular(rng, 6, 6)
    expect.close(attention(Q, K, V, mask=mask), right_output(Q, K, V, mask), "With an irregular mask")


@pytest.mark.points(1)
@pytest.mark.targets("mask-inverted", "mask-nan", *CORE)
@pytest.mark.example("attention(np.eye(2), np.eye(2), np.eye(2), mask=np.ones((2, 2), dtype=bool))")
def test_mask_that_allows_everything(attention: Any, rng: Generator, expect: Any) -> None:
    """A mask that allows everything changes nothing"""
    Q, K, V = mirrored(rng)
    output = attention(Q, K, V, mask=np.ones((2, 2), dtype=bool))
    heeds(output, V, expect, "With a mask that allows everything")
    expect.close(attention(Q, K, V), output, "Without a mask, as with one that allows everything")


def telling(rng: Generator) -> Array:
    """Six values of which different selections have clearly different means, as powers of two have."""
    return 10 + 2.0 ** rng.permutation(6)[:, np.newaxis]


HIDES_TWO = np.tile([False, False, True, True], (4, 1))


def beside_hidden(attention: Any, parts: tuple[Array, Array, Array], score: float, values: Array, expect: Any) -> Array:
    """The function's answer to `mirrored`, two keys of this scaled score or its opposite hidden from all queries."""
    Q, K, V = parts
    keys = K * score / (Q[0] @ K[0] / 2)  # √d_k is 2
    case = "With two keys hidden from all queries"
    output: Array = attention(
        np.concatenate([Q, Q / 2]), np.concatenate([keys, K]), np.concatenate([values, V]), mask=HIDES_TWO
    )
    expect.shape(output, (4, 4), case)
    heeds(output[:2], V, expect, case)
    return output


@pytest.mark.points(2)
@pytest.mark.targets(*MASKING, "softmax-wrong-axis", "transposed-scores", *CORE)
@pytest.mark.example("attention(np.eye(2), 9 * np.eye(2), np.eye(2), mask=np.tri(2, dtype=bool))[0]")
def test_disallowed_keys(attention: Any, rng: Generator, expect: Any) -> None:
    """A disallowed key has no influence"""
    parts, values = mirrored(rng), np.zeros((2, 4))
    faint = beside_hidden(attention, parts, 1, values, expect)
    strong = beside_hidden(attention, parts, 8, values, expect)
    expect.close(strong, faint, "With disallowed keys that match better")


@pytest.mark.points(2)
@pytest.mark.targets(*MASKING, "softmax-wrong-axis", *CORE)
@pytest.mark.example("attention(np.eye(2), np.eye(2), np.array([[1.0, 2.0], [999.0, 999.0]]), mask=np.tri(2) > 0)[0]")
def test_disallowed_values(attention: Any, rng: Generator, expect: Any) -> None:
    """The value of a disallowed key has no influence"""
    parts = mirrored(rng)
    small = beside_hidden(attention, parts, 1, rng.uniform(-1, 1, (2, 4)), expect)
    large = beside_hidden(attention, parts, 1, rng.uniform(50, 100, (2, 4)), expect)
    expect.close(large, small, "With larger disallowed values")


@pytest.mark.points(3)
@pytest.mark.targets(*MASKING, "softmax-wrong-axis", "transposed-scores", *CORE)
@pytest.mark.example("attention(np.eye(2), 2000 * np.eye(2), np.eye(2), mask=np.eye(2) < 1)")
def test_huge_disallowed_scores(attention: Any, rng: Generator, expect: Any) -> None:
    """A disallowed score in the thousands has no influence"""
    parts, values = mirrored(rng), np.zeros((2, 4))
    faint = beside_hidden(attention, parts, 1, values, expect)
    huge = beside_hidden(attention, parts, 2500, values, expect)
    expect.close(huge, faint, "With disallowed scores in the thousands")


@pytest.mark.points(3)
@pytest.mark.targets(*MASKING, "overflow", "softmax-wrong-axis", "transposed-scores", *CORE)
@pytest.mark.example("attention(np.full((2, 1), 60.0), np.full((2, 1), -60.0), np.eye(2), mask=np.tri(2, dtype=bool))")
def test_very_negative_allowed_scores(attention: Any, rng: Generator, expect: Any) -> None:
    """Allowed scores near -4,000 still count for more than disallowed ones"""
    Q = np.full((6, 1), float(rng.integers(60, 64)))
    K = rng.permutation([-62.0, -62, -62, -62, -64, -64])[:, np.newaxis]
    V = telling(rng)
    mask = np.ones((6, 6), dtype=bool)
    mask[np.arange(6), rng.choice(np.flatnonzero(K == -62), 6)] = False  # one of the four best, for each query
    expect.close(attention(Q, K, V, mask=mask), right_output(Q, K, V, mask), "With allowed scores near -4,000")
    must_heed(attention, rng, expect)


# ── numbers at their limits ────────────────────────────────────────────────────────────────────────


@pytest.mark.points(3)
@pytest.mark.targets("overflow", "softmax-wrong-axis", "transposed-scores", *CORE)
@pytest.mark.example("attention(np.array([[60.0], [-60.0]]), np.array([[50.0], [-50.0]]), np.eye(2))")
def test_large_scores(attention: Any, rng: Generator, expect: Any) -> None:
    """Scores of ±3,000 stay finite and give the right output"""
    Q = 60.0 * rng.permutation([1, 1, 1, -1, -1, -1])[:, np.newaxis]
    K = rng.permutation([50.0, 50, 40, -40, -50, -50])[:, np.newaxis]
    V = telling(rng)
    expect.close(attention(Q, K, V), right_output(Q, K, V), "With scores of ±3,000")
    Q, K = np.abs(Q), -np.abs(K)
    expect.close(attention(Q, K, V), right_output(Q, K, V), "With all scores below -2,000")
    must_heed(attention, rng, expect)


@pytest.mark.points(3)
@pytest.mark.targets("underflow", "overflow", *PLACES, *CORE)
@pytest.mark.example("attention(np.array([[20.0], [-20.0]]), np.array([[34.0], [17.0]]), np.eye(2))")
def test_queries_of_different_size(attention: Any, rng: Generator, expect: Any) -> None:
    """Queries whose scores are far below those of another get the right output"""
    # Even unshifted, exp(±680) is a float64: only a shift that fits one query and is used for all goes wrong.
    Q = 20.0 * rng.permutation([1, -1, -1, -1, -1, -1])[:, np.newaxis]
    K = rng.permutation([34.0, 34, 34, 17, 17, 17])[:, np.newaxis]
    V = telling(rng)
    expect.close(attention(Q, K, V), right_output(Q, K, V), "With scores near 680 for one query and -340 for others")
    must_heed(attention, rng, expect)


@pytest.mark.points(4)
@pytest.mark.targets("half-precision-overflow", "overflow", "scaling-after-softmax", "softmax-wrong-axis", *CORE)
@pytest.mark.example("attention(*(160 * np.eye(4).repeat(4, axis=1).astype(np.float16),) * 3)")
def test_float16_products(attention: Any, rng: Generator, expect: Any) -> None:
    """In float16, products of queries and keys beyond 65,504 give the finite, right output"""
    ordinary = [part.astype(np.float16) for part in mirrored(rng)]
    heeds(attention(*ordinary), ordinary[2], expect, "With small float16 scores", np.float16)

    # d_k = 16, in four blocks of four. Key j fills block j, and block j + 1 a little less. So query i has scores
    # of 4 q k with key i and 3.2 q k with key i - 1: both are beyond float16, divided by √16 both are within.
    block = np.eye(4).repeat(4, axis=1)
    q, k = rng.integers(150, 170, 2)
    Q = (q * block).astype(np.float16)
    K = (k * (block + 0.8 * np.roll(block, -1, axis=0))).astype(np.float16)
    V = rng.normal(size=(4, 16)).astype(np.float16)
    expect.close(attention(Q, K, V), right_output(Q, K, V), "With float16 products beyond 65,504", np.float16)


# ── everything else ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.points(3)
@pytest.mark.targets("mutates-input", *CORE)
@pytest.mark.example("(Q := np.ones((1, 4)), attention(Q, np.ones((1, 4)), np.ones((1, 4))))")
def test_inputs_unchanged(attention: Any, rng: Generator, expect: Any) -> None:
    """Queries, keys, values and mask are left as they were"""
    for dtype in (np.float32, np.float64):
        Q, K, V = (part.astype(dtype) for part in normal(rng, 5, 5, 4, 4))
        mask = irregular(rng, 5, 5)
        attention(Q, K, V)
        expect.unchanged(attention.arguments_after, {"Q": Q, "K": K, "V": V}, "Without a mask")
        attention(Q, K, V, mask=mask)
        expect.unchanged(attention.arguments_after, {"Q": Q, "K": K, "V": V, "mask": mask}, "With a mask")
    must_heed(attention, rng, expect)


@pytest.mark.points(1)
@pytest.mark.targets("assumes-square", *SCALING, *MASKING, *PLACES, *CORE)
@pytest.mark.example("attention(np.ones((1, 4)), np.eye(2, 4), np.eye(2, 3), mask=np.array([[True, False]]))")
def test_all_at_once(attention: Any, rng: Generator, expect: Any) -> None:
    """Different numbers of everything and an irregular mask, in float32, give the right output"""
    Q, K, V = (part.astype(np.float32) for part in climbing(rng, n_q=4, n_k=7, d_k=9, d_v=2))
    mask = irregular(rng, 4, 7)
    expect.close(attention(Q, K, V, mask=mask), right_output(Q, K, V, mask), "With all sizes different and a mask")
