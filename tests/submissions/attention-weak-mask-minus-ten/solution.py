import numpy as np

__all__ = ["softmax", "causal_mask", "attention"]


def softmax(x, axis=-1):
    x = np.asarray(x, dtype=np.float64)
    z = np.exp(x - x.max(axis=axis, keepdims=True))
    return z / z.sum(axis=axis, keepdims=True)


def causal_mask(seq_len):
    return np.tri(seq_len, dtype=bool)


def attention(Q, K, V, mask=None):
    dim = Q.shape[-1]
    logits = Q.astype(np.float64) @ K.astype(np.float64).T / np.sqrt(dim)
    if mask is not None:
        np.putmask(logits, ~mask, -10.0)
    return softmax(logits) @ V
