import numpy as np


def attention(Q, K, V, mask=None):
    Q, K, V = (np.asarray(a, dtype=np.float64) for a in (Q, K, V))
    scores = Q @ K.T
    scores /= np.sqrt(K.shape[1])
    if mask is not None:
        scores[~mask] = -1e9
    scores -= scores.max()
    np.exp(scores, out=scores)
    return scores @ V / scores.sum(axis=1, keepdims=True)
