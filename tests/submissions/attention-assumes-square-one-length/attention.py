import numpy as np


def attention(Q, K, V, mask=None):
    n, d = Q.shape
    d_v = V.shape[1]
    Q = Q.astype(float)
    K = K.astype(float)
    V = V.astype(float)
    weights = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if mask is not None and not mask[i, j]:
                weights[i, j] = -np.inf
            else:
                weights[i, j] = np.dot(Q[i], K[j]) / np.sqrt(d)
        weights[i] = np.exp(weights[i] - np.max(weights[i]))
        weights[i] = weights[i] / np.sum(weights[i])
    out = np.zeros((n, d_v))
    for i in range(n):
        for j in range(n):
            out[i] += weights[i, j] * V[j]
    return out
