import numpy as np


def attention(Q, K, V, mask=None):
    s = np.einsum("id,jd->ij", Q.astype(float), K.astype(float)) / np.sqrt(Q.shape[1])
    if mask is not None:
        s = s + np.where(mask, 0.0, -1e9)
    e = np.exp(s)
    w = e / np.sum(e, axis=0, keepdims=True)
    return w @ V
