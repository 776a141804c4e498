import numpy as np


def attention(Q, K, V, mask=None):
    Q = Q.astype(np.float64); K = K.astype(np.float64); V = V.astype(np.float64)
    logits = np.einsum('nd,md->nm', Q, K) / np.sqrt(Q.shape[1])
    if mask is not None:
        logits += np.where(mask, 0.0, -1e9)
    top = logits.max(axis=0, keepdims=True)
    e = np.exp(logits - top)
    p = e / e.sum(axis=0, keepdims=True)
    return np.einsum('nm,md->nd', p, V)
