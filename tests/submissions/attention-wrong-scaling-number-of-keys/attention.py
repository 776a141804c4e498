import numpy as np


def attention(Q, K, V, mask=None):
    def soft(s):
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    s = np.matmul(Q, K.T, dtype=np.float64)
    s /= np.sqrt(s.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    return soft(s) @ V
