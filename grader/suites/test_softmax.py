"""The hidden suite of `softmax`: 30 points.

A test of one property looks at vectors, which have but one axis, and compares the function with itself: so a
fault of axes, of the sum or of the logarithm is paid for once, by the tests that look for it. `weigh` sees to it
that an answer which does not heed its scores earns nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

FLOATS = (np.float16, np.float32, np.float64)


def ordinary(rng: Generator) -> NDArray[Any]:
    """Six different scores within ±3, in quarters: every float holds them exactly, and their sums as well."""
    return rng.permutation(np.arange(-12, 13))[:6] / 4


def right_weights(scores: NDArray[Any], axis: int = -1) -> NDArray[Any]:
    """The softmax of ordinary scores, in float64."""
    exponentials = np.exp(scores.astype(np.float64))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def weigh(softmax: Any, scores: NDArray[Any], expect: Any) -> NDArray[Any]:
    """The function's own answer for a vector, once it is seen that all scores weigh, and larger ones more."""
    case = f"For a vector of {scores.size} scores"
    weights: NDArray[Any] = softmax(scores)
    expect.increasing(weights, scores, case)
    assert weights.all(), f"{case}, each should get some weight; yours gives exactly 0 to one of them."
    return weights


@pytest.mark.points(1)
@pytest.mark.targets("not-normalised", "returns-log")
@pytest.mark.example("softmax(np.array([0.0, 1.0, 2.0]))")
def test_vector(softmax: Any, rng: Generator, expect: Any) -> None:
    """A vector of scores gives the right weights, however often it is asked"""
    first, second = ordinary(rng), ordinary(rng)
    for scores in (first, second, first):
        expect.close(softmax(scores), right_weights(scores), "For a vector of 6 scores")


@pytest.mark.points(2)
@pytest.mark.targets("wrong-axis", "missing-keepdims", "not-normalised", "returns-log")
@pytest.mark.example("softmax(np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 5.0]]))")
def test_rows_of_a_table(softmax: Any, rng: Generator, expect: Any) -> None:
    """Without `axis`, each row of a table gets its own right weights"""
    for shape in ((3, 5), (4, 4)):
        scores = rng.normal(size=shape)
        expect.close(softmax(scores), right_weights(scores), f"For a table of shape {shape} and no axis given")


@pytest.mark.points(4)
@pytest.mark.targets("wrong-axis", "missing-keepdims", "not-normalised", "returns-log")
@pytest.mark.example("softmax(np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 5.0]]), axis=0)")
def test_both_axes_of_a_table(softmax: Any, rng: Generator, expect: Any) -> None:
    """Along the rows or the columns of a table, the right weights, summing to 1"""
    scores = rng.normal(size=(4, 5))
    for axis in (0, 1, -1, -2):
        weights = softmax(scores, axis=axis)
        case = f"Along axis {axis} of a table of shape {scores.shape}"
        expect.weights(weights, scores.shape, axis, case)
        expect.close(weights, right_weights(scores, axis), case)


@pytest.mark.points(4)
@pytest.mark.targets("wrong-axis", "missing-keepdims", "not-normalised", "returns-log")
@pytest.mark.example("softmax(np.arange(8.0).reshape(2, 2, 2), axis=1)")
def test_every_axis_of_a_batch(softmax: Any, rng: Generator, expect: Any) -> None:
    """Along every axis of arrays of three and four dimensions, the right weights, summing to 1"""
    for shape in ((2, 3, 4), (3, 2, 4, 2)):
        scores = rng.normal(size=shape)
        for axis in range(-len(shape), len(shape)):
            weights = softmax(scores, axis=axis)
            case = f"Along axis {axis} of an array of shape {shape}"
            expect.weights(weights, shape, axis, case)
            expect.close(weights, right_weights(scores, axis), case)


@pytest.mark.points(1)
@pytest.mark.targets("not-normalised")  # bare exponentials grow with the shift
@pytest.mark.example("softmax(np.array([0.0, 1.0]) + 5) - softmax(np.array([0.0, 1.0]))")
def test_shift(softmax: Any, rng: Generator, expect: Any) -> None:
    """Adding one number to all scores changes no weight"""
    scores = ordinary(rng)
    weights = weigh(softmax, scores, expect)
    for shift in (-10.0, -0.5, 2.0, 10.0):
        expect.close(softmax(scores + shift), weights, f"With {shift:g} added to every score")


@pytest.mark.points(4)
@pytest.mark.targets("overflow", "returns-log", "not-normalised")
@pytest.mark.example("softmax(np.array([10000.0, 10001.0, -10000.0]))")
def test_large_scores(softmax: Any, rng: Generator, expect: Any) -> None:
    """Scores of ±10,000 stay finite and give the right weights"""
    scores = ordinary(rng)
    weights = weigh(softmax, scores, expect)
    expect.close(softmax(scores + 1e4), weights, "For scores near 10,000")
    expect.close(softmax(scores - 1e4), weights, "For scores near -10,000")
    both = np.concatenate([scores - 1e4, scores + 1e4])
    expected = np.concatenate([np.zeros(6), weights])
    expect.close(softmax(both), expected, "For scores near -10,000 beside scores near 10,000")


@pytest.mark.points(3)
@pytest.mark.targets("overflow", "returns-log", "not-normalised")
@pytest.mark.example("softmax(np.array([1e308, -1e308, 5e307]))")
def test_largest_floats(softmax: Any, rng: Generator, expect: Any) -> None:
    """The largest floats there are stay finite, and the largest score takes all the weight"""
    for dtype, size in zip(FLOATS, (6e4, 3e38, 1e308), strict=True):
        weigh(softmax, ordinary(rng).astype(dtype), expect)  # where none leads by far, all have some weight
        scores = (size * rng.permutation([-1, -0.5, 0.25, 0.9])).astype(dtype)
        expect.close(softmax(scores), scores == scores.max(), f"For {dtype.__name__} scores near {size:g}", dtype)


@pytest.mark.points(3)
@pytest.mark.targets("underflow", "overflow", "missing-keepdims", "wrong-axis")
@pytest.mark.example("softmax(np.array([[600.0, 601.0], [-600.0, -601.0]]))")
def test_rows_of_different_size(softmax: Any, rng: Generator, expect: Any) -> None:
    """Rows of very different size in one table get the weights they get alone"""
    rows = np.stack([ordinary(rng) for _ in range(4)])
    alone = np.stack([weigh(softmax, row, expect) for row in rows])
    # Even unshifted, exp(±650) is a float64: only a shift that fits one row and is used for all goes wrong.
    sizes = rng.permutation([650.0, -650.0, -650.0, -650.0])
    expect.close(softmax(rows + sizes[:, np.newaxis]), alone, "For rows near 650 and near -650 in one table")


@pytest.mark.points(3)
@pytest.mark.targets("truncates-integers", "not-normalised")  # bare exponentials grow with the shift
@pytest.mark.example("softmax(np.array([0, 1, 2]))")
def test_integers(softmax: Any, rng: Generator, expect: Any) -> None:
    """Integer scores get fractions, the same as floats"""
    scores = rng.permutation(np.arange(-3, 4))
    weights = weigh(softmax, scores + 1.5, expect)  # shifted, so that handing back the scores is no answer
    for dtype in (np.int32, np.int64):
        expect.close(softmax(scores.astype(dtype)), weights, f"For {dtype.__name__} scores")


@pytest.mark.points(1)
@pytest.mark.targets("not-normalised", "returns-log")
@pytest.mark.example("softmax(np.array([0, 1, 2], dtype=np.float16))")
def test_small_floats(softmax: Any, rng: Generator, expect: Any) -> None:
    """Scores in float16 and float32 give the right weights"""
    for dtype in (np.float16, np.float32):
        scores = ordinary(rng).astype(dtype)
        expect.close(softmax(scores), right_weights(scores), f"For {dtype.__name__} scores", dtype)


@pytest.mark.points(1)
@pytest.mark.targets("returns-log", "overflow", "not-normalised")  # clipped scores are no longer -inf
@pytest.mark.example("softmax(np.array([-np.inf, 0.0, 1.0]))")
def test_minus_infinity(softmax: Any, rng: Generator, expect: Any) -> None:
    """A score of -inf gets a weight of exactly 0, and the others share as if it were not there"""
    for dtype in FLOATS:
        scores = np.full(9, -np.inf, dtype)
        finite = np.append(False, rng.permutation([True] * 6 + [False] * 2))
        scores[finite] = ordinary(rng)
        weights = softmax(scores)
        case = f"For {dtype.__name__} scores of which three are -inf"
        expect.shape(weights, scores.shape, case)
        assert not weights[~finite].any(), f"{case}, the weight of -inf should be exactly 0."
        expect.close(weights[finite], weigh(softmax, scores[finite], expect), case, dtype)


@pytest.mark.points(3)
@pytest.mark.targets("mutates-input", "not-normalised")  # bare exponentials grow with the shift
@pytest.mark.example("(x := np.array([1.0, 2.0]), softmax(x))")
def test_input_unchanged(softmax: Any, rng: Generator, expect: Any) -> None:
    """The scores are left as they were"""
    scores = rng.permutation(np.arange(-3, 4))
    for dtype in (np.int64, np.float32, np.float64):
        given = scores.astype(dtype)
        weights = softmax(given)
        expect.unchanged(softmax.arguments_after, {"x": given}, f"For {dtype.__name__} scores")
    expect.close(weights, weigh(softmax, scores + 1.5, expect), "For a vector of 7 scores")
