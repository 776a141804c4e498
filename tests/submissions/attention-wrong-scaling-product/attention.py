import numpy as np


def _softmax(x):
    x = x - np.max(x, axis=-1, keepdims=True)
    return np.exp(x) / np.sum(np.exp(x), axis=-1, keepdims=True)


def attention(Q, K, V, mask=None):
    """
    Q: queries (n_q, d_k)
    K: keys (n_k, d_k)
    V: values (n_k, d_v)
    """
    root = np.sqrt(Q.shape[1])
    S = root * (np.array(Q, dtype=float) @ np.array(K, dtype=float).T)
    if mask is not None:
        S[~mask] = -np.inf
    return _softmax(S) @ np.array(V, dtype=float)
