import numpy as np


def similarity(q, k):
    return np.exp(np.dot(q, k))


def attention(Q, K, V, mask=None):
    Q, K, V = (np.array(a, dtype=float) for a in (Q, K, V))
    W = np.array([[similarity(q, k) for k in K] for q in Q])
    if mask is not None:
        W = np.where(mask, W, 0.0)
    W = W / np.sum(W, axis=-1, keepdims=True)
    return W @ V
