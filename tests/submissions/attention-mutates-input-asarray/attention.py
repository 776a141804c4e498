import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    q = np.asarray(Q, dtype=np.float64)
    k = np.asarray(K, dtype=np.float64)
    v = np.asarray(V, dtype=np.float64)
    q /= np.sqrt(q.shape[1])
    scores = q @ k.T
    if mask is not None:
        scores[~mask] = -np.inf
    return softmax(scores) @ v
