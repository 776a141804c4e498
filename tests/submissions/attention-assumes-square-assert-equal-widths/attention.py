import numpy as np


def attention(Q, K, V, mask=None):
    n_q, d_model = Q.shape
    n_k, _ = K.shape
    assert K.shape == (n_k, d_model)
    assert V.shape == (n_k, d_model), "keys and values differ"
    if mask is not None:
        assert mask.shape == (n_q, n_k)
    scale = 1.0 / np.sqrt(d_model)
    s = (Q * scale) @ K.T
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e @ V / e.sum(axis=1, keepdims=True)
