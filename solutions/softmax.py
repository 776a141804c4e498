"""The softmax: scores of any size become weights between 0 and 1 that sum to 1."""

import numpy as np


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Turn scores into weights along one axis: exp(x_i) / (exp(x_1) + ... + exp(x_n)).

    Parameters
    ----------
    x
        Scores: a float16, float32, float64, int32 or int64 array of 1 to 4 dimensions. It is left unchanged.
    axis
        The axis along which the weights sum to 1. Any axis of `x`, counted from the front (0, 1, ...) or from
        the back (-1, -2, ...); by default the last.

    Returns
    -------
    An array of real numbers with the shape of `x`. Along `axis` its entries are at least 0 and sum to 1, and a
    larger score gets a larger weight. Every other axis is a batch: its entries do not influence one another.

    What must hold
    --------------
    - Adding one number to all scores changes nothing: softmax(x + c) equals softmax(x).
    - The weights are finite and right for any finite scores, though exp(1000) is not: for ±10,000, for float64
      as large as 1e308 and float32 as large as 3e38, and where one row is very large and the next very small.
    - A score of -inf gets a weight of exactly 0. (Some score along `axis` is always larger than -inf.)
    - float16 scores are fine, and so are integers: they get fractions, as if they were floats.

    Example
    -------
    >>> softmax(np.array([[0.0, 0.0], [1.0, 3.0]])).round(3)
    array([[0.5  , 0.5  ],
           [0.119, 0.881]])
    """
    ### BEGIN SOLUTION
    # At least float32: float16 keeps three digits, and integers have no room for fractions.
    scores = x.astype(np.result_type(x, np.float32))

    # exp overflows beyond 709 (88 in float32). A shift changes no weight, so let the largest score of each row
    # be 0: no exponential is then above 1, and each row has one that is 1, so no sum is 0. `keepdims` leaves
    # the reduced axis in place, so each row meets its own maximum. Two scores of opposite sign near the end of
    # the float range lie -inf apart, and exp(-inf) is the 0 we want: no warning is due.
    with np.errstate(over="ignore"):
        shifted = scores - scores.max(axis=axis, keepdims=True)

    weights = np.exp(shifted)
    return weights / weights.sum(axis=axis, keepdims=True)
    ### END SOLUTION
