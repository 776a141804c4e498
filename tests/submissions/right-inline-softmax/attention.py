import numpy as np


def attention(Q, K, V, mask=None):
    scores = Q.astype("float64") @ K.astype("float64").T / np.sqrt(Q.shape[1])

    if mask is not None:
        scores[~mask] = -np.inf

    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)

    return scores @ V
