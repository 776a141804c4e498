"""The softmax: scores of any size become weights between 0 and 1 that sum to 1."""

import numpy as np


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Turn scores into weights: exp(x_i) / (exp(x_1) + ... + exp(x_n)), along one axis of an array.

    x: the scores, a float16, float32, float64, int32 or int64 array of 1 to 4 dimensions.
    axis: the axis along which the weights sum to 1, any axis of x. Counted from the front (0, 1, ...) or from
        the back (-1, -2, ...); the last if it is not given.

    The result is a new array of real numbers with the shape of x; x itself stays as it is. What must hold:

    - Along the axis no weight is negative, a larger score has a larger weight, and the weights sum to 1.
      Whatever lies elsewhere along the other axes has no influence: each row is weighed by itself.
    - Adding one number to all scores changes nothing: softmax(x + c) equals softmax(x).
    - The weights are finite and right for all finite scores, even where exp of a score is not: ±10,000,
      float64 as large as 1e308, float32 as large as 3e38, one row very large and the next very small.
    - A score of -inf has a weight of exactly 0. (No row consists of -inf alone.)
    - Scores in float16 are weighed as well as others, and integers as if they were floats.

    For example:

    >>> softmax(np.array([[0.0, 0.0], [1.0, 3.0]])).round(3)
    array([[0.5  , 0.5  ],
           [0.119, 0.881]])
    """
    raise NotImplementedError
