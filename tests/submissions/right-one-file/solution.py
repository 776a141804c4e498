import numpy as np


def softmax(x, axis=-1):
    x = np.exp(x - x.max(axis, keepdims=True))
    return x / x.sum(axis, keepdims=True)


def causal_mask(seq_len):
    return np.tri(seq_len, dtype=bool)


def attention(Q, K, V, mask=None):
    scores = np.asarray(Q, float) @ np.asarray(K, float).T / Q.shape[1] ** 0.5
    if mask is not None:
        scores[~mask] = -np.inf
    return softmax(scores) @ V
