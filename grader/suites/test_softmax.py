"""The hidden suite of `softmax`: 30 points.

So that one fault is paid for once, a test of one property asks for vectors, which have but one axis, and
compares the function with itself: a wrong axis, sum or logarithm is found by the tests that look for it.
`weigh` sees to it that an answer which does not heed its scores earns nothing.
"""

import numpy as np
import pytest

FLOATS = (np.float16, np.float32, np.float64)


def ordinary(rng):
    """Six different scores within ±3, in quarters, which every float holds exactly."""
    return rng.permutation(np.arange(-12, 13))[:6] / 4


def right_weights(scores, axis=-1):
    """The softmax of ordinary scores, in float64."""
    exponentials = np.exp(scores.astype(np.float64))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def weigh(softmax, scores, expect):
    """The function's own answer for a vector, once it is seen that all scores weigh, larger ones more."""
    case = f"For a vector of {scores.size} scores"
    weights = softmax(scores)
    expect.increasing(weights, scores, case)
    assert weights.all(), f"{case}, each should have some weight; one of yours is exactly 0."
    spread = softmax(scores + scores)  # in the same order, but twice as far apart
    expect.shape(spread, weights.shape, case)
    assert not np.allclose(spread, weights, 1e-2), f"{case}, weights should change when the scores lie further apart."
    return weights


@pytest.mark.points(1)
@pytest.mark.targets("not-normalised", "returns-log")
@pytest.mark.example("softmax(np.array([0.0, 1.0, 2.0]))")
def test_vector(softmax, rng, expect):
    """A vector of scores gets the right weights, however often it is asked"""
    first, second = ordinary(rng), ordinary(rng)
    for scores in (first, second, first):
        expect.close(softmax(scores), right_weights(scores), "For a vector of 6 scores")


@pytest.mark.points(2)
@pytest.mark.targets("wrong-axis", "missing-keepdims", "not-normalised", "returns-log")
@pytest.mark.example("softmax(np.array([[0.0, 1.0], [0.0, 5.0]]))")
def test_rows_of_a_table(softmax, rng, expect):
    """Without an axis given, each row of a table gets its own right weights"""
    for shape in ((3, 5), (4, 4)):
        scores = rng.normal(size=shape)
        expect.close(softmax(scores), right_weights(scores), f"For a table of shape {shape}")


@pytest.mark.points(4)
@pytest.mark.targets("wrong-axis", "missing-keepdims", "not-normalised", "returns-log")
@pytest.mark.example("[softmax(np.array([[0.0, 1.0], [0.0, 5.0]]), axis=axis) for axis in (0, 1)]")
def test_both_axes_of_a_table(softmax, rng, expect):
    """Along the rows or along the columns of a table, the weights are right and sum to 1"""
    scores = rng.normal(size=(4, 5))
    for axis in (0, 1, -1, -2):
        weights = softmax(scores, axis=axis)
        case = f"Along axis {axis} of a table of shape {scores.shape}"
        expect.weights(weights, scores.shape, axis, case)
        expect.close(weights, right_weights(scores, axis), case)


@pytest.mark.points(4)
@pytest.mark.targets("wrong-axis", "missing-keepdims", "not-normalised", "returns-log")
@pytest.mark.example("softmax(np.arange(12.0).reshape(2, 3, 2), axis=1)")
def test_every_axis_of_a_batch(softmax, rng, expect):
    """Along every axis of three and four dimensions, the weights are right and sum to 1"""
    for shape in ((2, 3, 4), (3, 2, 1, 2)):
        scores = rng.normal(size=shape)
        for axis in range(-len(shape), len(shape)):
            weights = softmax(scores, axis=axis)
            case = f"Along axis {axis} of an array of shape {shape}"
            expect.weights(weights, shape, axis, case)
            expect.close(weights, right_weights(scores, axis), case)


@pytest.mark.points(1)
@pytest.mark.targets("not-normalised")  # bare exponentials grow with the shift
@pytest.mark.example("softmax(np.array([0.0, 1.0])) - softmax(np.array([5.0, 6.0]))")
def test_shift(softmax, rng, expect):
    """Adding one number to all scores changes no weight"""
    scores = ordinary(rng)
    weights = weigh(softmax, scores, expect)
    for shift in (-10.0, -0.5, 2.0, 10.0):
        expect.close(softmax(scores + shift), weights, f"With {shift:g} added to every score")


@pytest.mark.points(4)
@pytest.mark.targets("overflow", "not-normalised", "returns-log")
@pytest.mark.example("softmax(np.array([10000.0, 10001.0, -10000.0]))")
def test_large_scores(softmax, rng, expect):
    """Scores of ±10,000 get finite and right weights"""
    scores = ordinary(rng)
    weights = weigh(softmax, scores, expect)
    expect.close(softmax(scores + 1e4), weights, "For scores near 10,000")
    expect.close(softmax(scores - 1e4), weights, "For scores near -10,000")
    both, expected = np.append(scores - 1e4, scores + 1e4), np.append(np.zeros(6), weights)
    expect.close(softmax(both), expected, "For scores near -10,000 beside scores near 10,000")


@pytest.mark.points(3)
@pytest.mark.targets("overflow", "not-normalised", "returns-log")
@pytest.mark.example("softmax(np.array([1e308, -1e308, 5e307]))")
def test_largest_floats(softmax, rng, expect):
    """Among the largest floats there are, the largest score gets all the weight"""
    for dtype, size in zip(FLOATS, (6e4, 3e38, 1e308), strict=True):
        weigh(softmax, ordinary(rng).astype(dtype), expect)  # among small ones it must not
        scores = (size * rng.permutation([-1, -0.5, 0.25, 0.9])).astype(dtype)
        case = f"For {dtype.__name__} scores near {size:g}"
        expect.close(softmax(scores), scores == scores.max(), case, dtype)


@pytest.mark.points(3)
@pytest.mark.targets("underflow", "overflow", "missing-keepdims", "wrong-axis")
@pytest.mark.example("softmax(np.array([[600.0, 601.0], [-600.0, -601.0]]))")
def test_rows_of_different_size(softmax, rng, expect):
    """Rows of very different size in one table get the weights they get alone"""
    rows = np.stack([ordinary(rng) for _ in range(4)])
    alone = np.stack([weigh(softmax, row, expect) for row in rows])
    # exp(±650) is still a float64. What goes wrong here is a shift that fits one row and is used for all.
    sizes = rng.permutation([650.0, -650.0, -650.0, -650.0])
    expect.close(softmax(rows + sizes[:, np.newaxis]), alone, "For rows near 650 and near -650 in one table")


@pytest.mark.points(3)
@pytest.mark.targets("truncates-integers", "not-normalised")  # bare exponentials grow with the shift
@pytest.mark.example("softmax(np.array([0, 1, 2]))")
def test_integers(softmax, rng, expect):
    """Integer scores get the same fractions as floats"""
    scores = rng.permutation(np.arange(-3, 4))
    weights = weigh(softmax, scores + 1.5, expect)  # shifted: handing back the scores is no answer
    for dtype in (np.int32, np.int64):
        expect.close(softmax(scores.astype(dtype)), weights, f"For {dtype.__name__} scores")


@pytest.mark.points(1)
@pytest.mark.targets("not-normalised", "returns-log")
@pytest.mark.example("softmax(np.array([0, 1, 2], dtype=np.float16))")
def test_small_floats(softmax, rng, expect):
    """Scores in float16 and float32 get the right weights"""
    for dtype in (np.float16, np.float32):
        scores = ordinary(rng).astype(dtype)
        expect.close(softmax(scores), right_weights(scores), f"For {dtype.__name__} scores", dtype)


@pytest.mark.points(1)
@pytest.mark.targets("returns-log", "overflow", "not-normalised")  # a clipped -inf still weighs
@pytest.mark.example("softmax(np.array([-np.inf, 0.0, 1.0]))")
def test_minus_infinity(softmax, rng, expect):
    """A score of -inf gets a weight of exactly 0, and the others share as if it were not there"""
    for dtype in FLOATS:
        finite = np.append(False, rng.permutation([True] * 6 + [False] * 2))
        scores = np.full(9, -np.inf, dtype)
        scores[finite] = ordinary(rng)
        weights = softmax(scores)
        case = f"For {dtype.__name__} scores, three of them -inf"
        expect.shape(weights, scores.shape, case)
        assert not weights[~finite].any(), f"{case}, the weight of -inf should be exactly 0; it is not."
        expect.close(weights[finite], weigh(softmax, scores[finite], expect), case, dtype)


@pytest.mark.points(3)
@pytest.mark.targets("mutates-input", "not-normalised")  # bare exponentials grow with the shift
@pytest.mark.example("(x := np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]]), softmax(x))")
def test_input_unchanged(softmax, rng, expect):
    """The scores are left as they were"""
    scores = rng.permutation(np.arange(-3, 4))
    table, half = np.stack([scores, scores + 1.0]), scores.astype(np.float16)
    for given in (scores, half, half.astype(np.float32), np.append(100.0 * scores, -np.inf), table, half.astype(float)):
        weights = softmax(given)
        expect.unchanged(softmax.arguments_after, {"x": given}, f"For {given.dtype} scores")
    expect.close(weights, weigh(softmax, scores + 1.5, expect), "For a vector of 7 scores")
