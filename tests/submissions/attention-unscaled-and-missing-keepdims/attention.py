import numpy as np


def attention(Q, K, V, mask=None):
    s = Q.astype(np.float64).dot(K.astype(np.float64).T)
    if mask is not None:
        s[~mask] = -np.inf
    m = s.max(axis=-1, keepdims=True)
    w = np.exp(s - m) / np.exp(s - m).sum(axis=-1)
    return w.dot(V)
