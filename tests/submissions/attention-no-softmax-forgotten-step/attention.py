import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    n_q, d_k = Q.shape
    n_k, d_v = V.shape
    Q, K, V = Q.astype(float), K.astype(float), V.astype(float)

    weights = np.empty((n_q, n_k))
    for i in range(n_q):
        for j in range(n_k):
            weights[i, j] = Q[i] @ K[j] / np.sqrt(d_k)
            if mask is not None and not mask[i, j]:
                weights[i, j] = -1e9

    out = np.empty((n_q, d_v))
    for i in range(n_q):
        out[i] = sum(weights[i, j] * V[j] for j in range(n_k))
    return out
