import numpy as np


def attention(Q, K, V, mask=None):
    np.multiply(K, 1 / np.sqrt(K.shape[1]), out=K, casting="same_kind")
    s = np.einsum("id,jd->ij", Q, K)
    if mask is not None:
        s = np.where(mask, s, -1e9)
    s = s - np.max(s, axis=1, keepdims=True)
    w = np.exp(s)
    w = w / np.sum(w, axis=1, keepdims=True)
    return np.einsum("ij,jd->id", w, V)
