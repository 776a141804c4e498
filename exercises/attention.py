"""Scaled dot-product attention: each query takes a weighted mean of the values, by how well their keys match.

Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1, https://arxiv.org/abs/1706.03762
"""

import numpy as np

from exercises.softmax import softmax


def attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    """Compute softmax(Q Kᵀ / √d_k) V, the softmax running over the keys.

    Parameters
    ----------
    Q
        Queries, one a row: shape (n_q, d_k).
    K
        Keys, one a row: shape (n_k, d_k). The number of keys may differ from the number of queries.
    V
        Values, row j belonging to key j: shape (n_k, d_v). Their width d_v may differ from d_k.
    mask
        None: every query attends to every key. Otherwise a boolean array of shape (n_q, n_k), where True at
        [i, j] means that query i may attend to key j. Each row has at least one True.

    Q, K and V are float16, float32 or float64. No argument is changed.

    Returns
    -------
    An array of real numbers of shape (n_q, d_v), the output alone: row i is the mean of the rows of V, weighted
    by what the softmax gives query i.

    What must hold
    --------------
    - The scores are divided by √d_k before the softmax.
    - Disallowed scores are removed before the softmax, so a disallowed key and its value have no influence at
      all, even where its score is huge or where all allowed scores are very negative.
    - Scores of thousands, and queries whose scores differ by thousands, give finite and right outputs.
    - float16 ends at 65,504. Queries and keys in float16 whose products q · k are larger than that, but whose
      scaled scores are not, give the finite, right output.

    Example
    -------
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
