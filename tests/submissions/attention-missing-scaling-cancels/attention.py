import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    d_k = K.shape[-1]
    logits = np.einsum("qd,kd->qk", Q.astype(np.float64), K.astype(np.float64))
    if mask is not None:
        logits = np.where(mask, logits, -1e9)
    weights = softmax(logits)
    weights = weights / np.sqrt(d_k)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return np.einsum("qk,kd->qd", weights, V)
