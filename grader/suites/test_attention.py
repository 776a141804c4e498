"""The hidden suite of `attention`: 50 points.

So that one fault is paid for once, most tests have as many queries as keys and values as wide as keys, and
those that are not about scaling have d_k = 1, where √d_k changes nothing, or compare the function with
itself. Where scores are extreme, several keys share the largest: no rounding decides, and to pick one key is
no answer. `must_heed` sees to it that an answer which does not heed queries, keys and values earns nothing.
"""

import numpy as np
import pytest

# Faults that show in every answer. (A causal mask that is always applied, one way of ignoring the mask that
# was given, shows without a mask too.)
CORE = ("no-softmax", "values-swapped", "returns-weights", "returns-tuple", "mask-ignored")
# Faults of which weight goes where: they show where queries differ in more than their sign.
PLACES = ("softmax-wrong-axis", "transposed-scores", "missing-keepdims")
SCALING = ("missing-scaling", "wrong-scaling", "scaling-after-softmax")
MASKING = ("mask-after-softmax", "mask-inverted", "weak-mask", "mask-added", "mask-nan")


def right_output(Q, K, V, mask=np.True_):
    """softmax(Q Kᵀ / √d_k) V in float64, the disallowed scores removed before the softmax."""
    Q, K, V = (part.astype(np.float64) for part in (Q, K, V))
    scores = np.where(mask, Q @ K.T / np.sqrt(Q.shape[1]), -np.inf)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True) @ V


def normal(rng, n_q, n_k, d_k, d_v):
    """Queries, keys and values of standard normal numbers: most scaled scores lie within ±2."""
    return rng.normal(size=(n_q, d_k)), rng.normal(size=(n_k, d_k)), rng.normal(size=(n_k, d_v))


def mirrored(rng):
    """Queries q and -q, keys k and -k, values v and -v: opposite queries must get opposite outputs."""
    q, k, v = rng.uniform(1.5, 2.5, 4), rng.uniform(0.03, 0.05, 4), rng.uniform(0.5, 1, 4) * [1, -1, 1, -1]
    return np.stack([q, -q]), np.stack([k, -k]), np.stack([v, -v])


def heeds(output, V, expect, case, dtype=np.float64):
    """The answer to `mirrored` is a part of v, and as much of -v: on this all ways of scaling agree."""
    expect.shape(output, V.shape, case)
    expect.finite(output, case)
    part = output[0] / V[0]
    leans = (part > 0.001).all() and (part < 0.999).all()
    assert leans, f"{case}, every query should get a mix of the values it may see; yours gets something else."
    expect.close(output[1], -output[0], f"{case}, for the opposite query", dtype)


def must_heed(attention, rng, expect):
    """Queries, keys and values have their say in what the function answers."""
    Q, K, V = mirrored(rng)
    heeds(attention(Q, K, V), V, expect, "With two opposite keys")


# ── right outputs ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.points(2)
@pytest.mark.targets("wrong-scaling", *PLACES, *CORE)
@pytest.mark.example("attention(np.array([[1.0], [2.0]]), np.array([[0.0], [1.0]]), np.array([[5.0], [9.0]]))")
def test_one_feature(attention, rng, expect):
    """Queries and keys of one number each (d_k = 1) give the right output"""
    Q, K, V = normal(rng, n_q=5, n_k=5, d_k=1, d_v=1)
    expect.close(attention(Q, K, V), right_output(Q, K, V), "With d_k = 1")


@pytest.mark.points(5)
@pytest.mark.targets(*SCALING, *PLACES, *CORE)
@pytest.mark.example("attention(np.arange(8.0).reshape(2, 4), np.eye(2, 4), np.array([[10.0], [20.0]]))")
def test_four_features(attention, rng, expect):
    """Queries and keys of four numbers each (d_k = 4) give the right output, however often it is asked"""
    first, second = (normal(rng, n_q=6, n_k=6, d_k=4, d_v=4) for _ in range(2))
    for Q, K, V in (first, second, first):
        expect.close(attention(Q, K, V), right_output(Q, K, V), "With d_k = 4")


@pytest.mark.points(4)
@pytest.mark.targets(*SCALING, *PLACES, *CORE)
@pytest.mark.example("attention(np.eye(2, 64), 8 * np.tri(2, 64), np.array([[10.0], [20.0]]))")
def test_many_features(attention, rng, expect):
    """Queries and keys of 64 numbers each (d_k = 64), in float32, give the right output"""
    Q, K, V = (part.astype(np.float32) for part in normal(rng, n_q=5, n_k=5, d_k=64, d_v=64))
    expect.close(attention(Q, K, V), right_output(Q, K, V), "With d_k = 64 and float32")


@pytest.mark.points(3)
@pytest.mark.targets("assumes-square", "wrong-scaling", *PLACES, *CORE)
@pytest.mark.example("attention(np.ones((3, 1)), np.array([[0.0], [1.0]]), np.array([[5.0], [9.0]]))")
def test_any_number_of_keys(attention, rng, expect):
    """There may be more keys than queries, or fewer (n_q ≠ n_k)"""
    for n_q, n_k in ((3, 7), (6, 2)):
        Q, K, V = normal(rng, n_q, n_k, d_k=1, d_v=1)
        expect.close(attention(Q, K, V), right_output(Q, K, V), f"With {n_q} queries and {n_k} keys")


@pytest.mark.points(3)
@pytest.mark.targets("assumes-square", *SCALING, *PLACES, *CORE)
@pytest.mark.example("attention(np.eye(2, 4), np.tri(2, 4), np.arange(18.0).reshape(2, 9))")
def test_any_width_of_values(attention, rng, expect):
    """Values may be wider than keys, or narrower (d_v ≠ d_k)"""
    for d_v in (9, 2):
        Q, K, V = normal(rng, n_q=5, n_k=5, d_k=4, d_v=d_v)
        expect.close(attention(Q, K, V), right_output(Q, K, V), f"With d_k = 4 and d_v = {d_v}")


@pytest.mark.points(1)
@pytest.mark.targets("scaling-after-softmax", "softmax-wrong-axis", "missing-keepdims", *CORE)
@pytest.mark.example("attention(np.eye(2, 4), np.eye(2, 4), np.ones((2, 4)))")
def test_equal_values(attention, rng, expect):
    """Where all values are equal, every query gets that value"""
    Q, K, V = normal(rng, n_q=5, n_k=5, d_k=4, d_v=4)
    V[:] = V[0]
    expect.close(attention(Q, K, V), V, "With all values equal")
    must_heed(attention, rng, expect)


@pytest.mark.points(1)
@pytest.mark.targets("scaling-after-softmax", "softmax-wrong-axis", "missing-keepdims", *CORE)
@pytest.mark.example("attention(np.eye(2, 4), np.eye(2, 4), 100 + np.eye(2, 4))")
def test_range_of_values(attention, rng, expect):
    """Every output lies between the smallest and the largest value"""
    Q, K, V = normal(rng, n_q=5, n_k=5, d_k=4, d_v=4)
    V += 100
    output = attention(Q, K, V)
    expect.shape(output, V.shape, "With values near 100")
    inside = (output > V.min(axis=0) - 1e-4) & (output < V.max(axis=0) + 1e-4)
    outside = np.count_nonzero(~inside)
    assert not outside, f"With values near 100, {outside} of {output.size} numbers lie outside their range."
    must_heed(attention, rng, expect)


# ── masks ──────────────────────────────────────────────────────────────────────────────────────────


def climbing(rng, n_q, n_k, d_k, d_v):
    """Keys that match better the later they come: what leaks through a mask weighs more than what it allows.

    Scaled scores lie between -9 and -2: a disallowed one that is set to 0, or a little less, weighs as well.
    """
    Q = rng.uniform(2.5, 3, (n_q, d_k))
    K = np.linspace(-3, -1, n_k)[:, np.newaxis] * rng.uniform(0.95, 1, (n_k, d_k)) / np.sqrt(d_k)
    return Q, K, rng.uniform(1, 2, (n_k, d_v))


def irregular(rng, n_q, n_k):
    """A random mask, but for this: all see key 0, query 0 sees no other, query 1 sees the last as well."""
    mask = rng.random((n_q, n_k)) < 0.5
    mask[:, 0], mask[0, 1:], mask[1, -1] = True, False, True
    return mask


@pytest.mark.points(3)
@pytest.mark.targets(*MASKING, "wrong-scaling", *PLACES, *CORE)
@pytest.mark.example("attention(np.eye(2), np.eye(2), np.array([[10.0], [20.0]]), mask=np.tri(2) > 0)")
def test_causal_mask(attention, rng, expect):
    """With a causal mask, no query sees a later key"""
    Q, K, V = climbing(rng, n_q=6, n_k=6, d_k=1, d_v=1)
    mask = np.tri(6, dtype=bool)
    expect.close(attention(Q, K, V, mask=mask), right_output(Q, K, V, mask), "With a causal mask")


@pytest.mark.points(3)
@pytest.mark.targets(*MASKING, "wrong-scaling", *PLACES, *CORE)
@pytest.mark.example("attention(np.eye(2), np.eye(2), np.array([[10.0], [20.0]]), mask=np.eye(2) == 0)")
def test_irregular_mask(attention, rng, expect):
    """With an irregular mask, each query sees the keys that its row allows"""
    Q, K, V = climbing(rng, n_q=6, n_k=6, d_k=1, d_v=1)
    mask = irregular(rng, n_q=6, n_k=6)
    expect.close(attention(Q, K, V, mask=mask), right_output(Q, K, V, mask), "With an irregular mask")


@pytest.mark.points(1)
@pytest.mark.targets("mask-inverted", "mask-nan", *CORE)
@pytest.mark.example("attention(np.eye(2), np.eye(2), np.array([[10.0], [20.0]]), mask=np.eye(2) < 2)")
def test_mask_that_allows_all(attention, rng, expect):
    """A mask that allows everything changes nothing"""
    Q, K, V = mirrored(rng)
    output = attention(Q, K, V, mask=np.ones((2, 2), dtype=bool))
    heeds(output, V, expect, "With a mask that allows everything")
    expect.close(attention(Q, K, V), output, "Without a mask, against one that allows everything")


def beside_hidden(attention, parts, expect, score, values):
    """The answer to `mirrored`, where the mask hides two more keys of this scaled score and its opposite."""
    Q, K, V = parts
    keys = K * score / (Q[0] @ K[0] / np.sqrt(4))
    mask = np.tile([False, False, True, True], (4, 1))
    output = attention(np.vstack([Q, Q / 2]), np.vstack([keys, K]), np.vstack([values, V]), mask=mask)
    expect.shape(output, (4, 4), "With two keys hidden")
    heeds(output[:2], V, expect, "With two keys hidden")
    return output


@pytest.mark.points(2)
@pytest.mark.targets(*MASKING, "softmax-wrong-axis", "transposed-scores", *CORE)
@pytest.mark.example("attention(np.ones((2, 1)), np.array([[5.0], [1.0]]), 9 * np.eye(2), mask=np.tri(2).T > 0)")
def test_disallowed_keys(attention, rng, expect):
    """A disallowed key has no influence"""
    parts, values = mirrored(rng), np.zeros((2, 4))
    faint = beside_hidden(attention, parts, expect, 1, values)
    strong = beside_hidden(attention, parts, expect, 8, values)
    expect.close(strong, faint, "With hidden keys that match better")


@pytest.mark.points(2)
@pytest.mark.targets(*MASKING, "softmax-wrong-axis", *CORE)
@pytest.mark.example("attention(np.eye(2), np.eye(2), np.array([[999.0], [1.0]]), mask=np.tri(2).T > 0)")
def test_disallowed_values(attention, rng, expect):
    """The value of a disallowed key has no influence"""
    parts = mirrored(rng)
    small = beside_hidden(attention, parts, expect, 1, rng.uniform(-1, 1, (2, 4)))
    large = beside_hidden(attention, parts, expect, 1, rng.uniform(50, 100, (2, 4)))
    expect.close(large, small, "With larger hidden values")


@pytest.mark.points(3)
@pytest.mark.targets(*MASKING, "softmax-wrong-axis", "transposed-scores", *CORE)
@pytest.mark.example("attention(np.ones((2, 1)), np.array([[4e4], [1.0]]), 9 * np.eye(2), mask=np.tri(2).T > 0)")
def test_huge_disallowed_scores(attention, rng, expect):
    """A disallowed score in the ten thousands has no influence"""
    parts, values = mirrored(rng), np.zeros((2, 4))
    faint = beside_hidden(attention, parts, expect, 1, values)
    huge = beside_hidden(attention, parts, expect, 40_000, values)
    expect.close(huge, faint, "With hidden scores of 40,000")


# ── numbers at their limits ────────────────────────────────────────────────────────────────────────


def telling(rng):
    """Six values, 10 and a power of two each: the means of different selections are clearly different."""
    return 10 + 2.0 ** rng.permutation(6)[:, np.newaxis]


@pytest.mark.points(3)
@pytest.mark.targets(*MASKING, "overflow", "softmax-wrong-axis", "transposed-scores", *CORE)
@pytest.mark.example("attention(60 * np.ones((2, 1)), -60 * np.ones((2, 1)), 9 * np.eye(2), mask=np.tri(2).T > 0)")
def test_allowed_scores_far_below_zero(attention, rng, expect):
    """Allowed scores near -4,000 still weigh more than disallowed ones"""
    Q = np.full((6, 1), float(rng.integers(60, 64)))
    K = rng.permutation([-62.0, -62, -62, -62, -64, -64])[:, np.newaxis]
    V = telling(rng)
    best = np.flatnonzero(K == -62)
    mask = np.ones((6, 6), dtype=bool)
    mask[np.arange(6), rng.choice(best, 6)] = False  # from each query one of the four best keys is hidden
    expect.close(attention(Q, K, V, mask=mask), right_output(Q, K, V, mask), "With scores near -4,000")
    must_heed(attention, rng, expect)


@pytest.mark.points(3)
@pytest.mark.targets("overflow", "softmax-wrong-axis", "transposed-scores", *CORE)
@pytest.mark.example("attention(np.array([[60.0], [-60.0]]), np.array([[50.0], [-50.0]]), 9 * np.eye(2))")
def test_large_scores(attention, rng, expect):
    """Scores of ±3,000 give finite and right outputs"""
    Q = 60.0 * rng.permutation([1, 1, 1, -1, -1, -1])[:, np.newaxis]
    K = rng.permutation([50.0, 50, 40, -40, -50, -50])[:, np.newaxis]
    V = telling(rng)
    expect.close(attention(Q, K, V), right_output(Q, K, V), "With scores of ±3,000")
    Q, K = abs(Q), -abs(K)
    expect.close(attention(Q, K, V), right_output(Q, K, V), "With all scores below -2,000")
    must_heed(attention, rng, expect)


@pytest.mark.points(3)
@pytest.mark.targets("underflow", "overflow", *PLACES, *CORE)
@pytest.mark.example("attention(np.array([[20.0], [-20.0]]), np.array([[34.0], [34.0]]), 9 * np.eye(2))")
def test_queries_of_different_size(attention, rng, expect):
    """A query whose scores are far below those of another gets the right output"""
    # exp(±680) is still a float64. What goes wrong here is a shift that fits one query and is used for all.
    Q = 20.0 * rng.permutation([1, -1, -1, -1, -1, -1])[:, np.newaxis]
    K = rng.permutation([34.0, 34, 34, 17, 17, 17])[:, np.newaxis]
    V = telling(rng)
    expect.close(attention(Q, K, V), right_output(Q, K, V), "With queries of different size")
    must_heed(attention, rng, expect)


@pytest.mark.points(4)
@pytest.mark.targets("half-precision-overflow", "scaling-after-softmax", "overflow", "softmax-wrong-axis", *CORE)
@pytest.mark.example("attention(*[(160 * np.eye(2).repeat(8, axis=1)).astype(np.float16)] * 3)[:, ::8]")
def test_float16_products(attention, rng, expect):
    """In float16, products of queries and keys beyond 65,504 give the finite, right output"""
    Q, K, V = (part.astype(np.float16) for part in mirrored(rng))
    heeds(attention(Q, K, V), V, expect, "With small float16 scores", np.float16)

    # d_k is 16, in four blocks of four. Query i fills block i, key j fills block j and, with a little less,
    # block j + 1. So query i matches keys i and i - 1, with products of 4 q k and 3.2 q k: both too large for
    # float16, both fine once they are divided by √16.
    block = np.eye(4).repeat(4, axis=1)
    q, k = rng.integers(150, 170, 2)
    Q = (q * block).astype(np.float16)
    K = (k * (block + 0.8 * np.roll(block, -1, axis=0))).astype(np.float16)
    V = rng.normal(size=(4, 16)).astype(np.float16)
    expect.close(attention(Q, K, V), right_output(Q, K, V), "With float16 products beyond 65,504", np.float16)


# ── everything else ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.points(3)
@pytest.mark.targets("mutates-input", *CORE)
@pytest.mark.example("(x := np.eye(2, 4), m := np.tri(2) > 0, attention(x, x, x, mask=m))")
def test_inputs_unchanged(attention, rng, expect):
    """Queries, keys, values and mask are left as they were"""
    for dtype in (np.float32, np.float64):
        Q, K, V = (part.astype(dtype) for part in normal(rng, n_q=5, n_k=5, d_k=4, d_v=4))
        mask = irregular(rng, n_q=5, n_k=5)
        attention(Q, K, V)
        expect.unchanged(attention.arguments_after, {"Q": Q, "K": K, "V": V}, "Without a mask")
        attention(Q, K, V, mask=mask)
        expect.unchanged(attention.arguments_after, {"Q": Q, "K": K, "V": V, "mask": mask}, "With a mask")
    must_heed(attention, rng, expect)


@pytest.mark.points(1)
@pytest.mark.targets("assumes-square", *SCALING, *MASKING, *PLACES, *CORE)
@pytest.mark.example("attention(np.ones((1, 4)), np.tri(3, 4), 9 * np.eye(3), mask=np.array([[True, True, False]]))")
def test_all_at_once(attention, rng, expect):
    """Different numbers of everything and an irregular mask, in float32, give the right output"""
    Q, K, V = (part.astype(np.float32) for part in climbing(rng, n_q=4, n_k=7, d_k=9, d_v=2))
    mask = irregular(rng, n_q=4, n_k=7)
    expect.close(attention(Q, K, V, mask=mask), right_output(Q, K, V, mask), "With all sizes different")
