"""Scaled dot-product attention: each query gets a mean of the values, weighted by how well their keys match.

Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1, https://arxiv.org/abs/1706.03762
"""

import numpy as np

from exercises.softmax import softmax


def attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    """Compute softmax(Q Kᵀ / √d_k) V, where the softmax runs over the keys.

    Q: the queries, one a row: shape (n_q, d_k).
    K: the keys, one a row: shape (n_k, d_k). There may be more of them than queries, or fewer.
    V: the values, row j belongs to key j: shape (n_k, d_v). They may be wider than the keys, or narrower.
    mask: a boolean array of shape (n_q, n_k). True at [i, j] means that query i may attend to key j; every
        row has a True. If it is not given, all queries may attend to all keys.

    Q, K and V are all float16, all float32 or all float64. The result is a new array of real numbers of shape
    (n_q, d_v), the output alone, without the weights; no argument is changed. What must hold:

    - Row i of the result is the mean of the rows of V, weighted by what the softmax gives query i for each.
    - The scores Q Kᵀ are divided by √d_k before the softmax.
    - Disallowed scores are taken out before the softmax. So a disallowed key and its value have no influence,
      not even where its score is huge, or where all the allowed scores are far below 0.
    - Scores in the thousands, and far larger for one query than for the next, give finite and right outputs.
    - float16 ends at 65,504. Where products of float16 queries and keys lie beyond that, but do not once they
      are divided by √d_k, the output is still finite and right.

    For example:

    >>> Q = np.array([[2.0], [0.0]])
    >>> K = np.array([[0.0], [1.0]])
    >>> V = np.array([[10.0], [20.0]])
    >>> attention(Q, K, V).round(2)
    array([[18.81],
           [15.  ]])
    >>> attention(Q, K, V, mask=np.array([[True, False], [True, True]])).round(2)
    array([[10.],
           [15.]])
    """
    raise NotImplementedError
