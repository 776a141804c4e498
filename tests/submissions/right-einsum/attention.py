import numpy as np

from .softmax import softmax


def attention(Q, K, V, mask=None):
    wide = np.result_type(Q, K, V, np.float32)
    q, k, v = Q.astype(wide), K.astype(wide), V.astype(wide)
    s = np.einsum("qd,kd->qk", q, k, optimize=True) / np.sqrt(q.shape[1])
    if mask is not None:
        s = np.einsum("qk->qk", np.where(mask, s, -np.inf))
    return np.einsum("qk,kv->qv", softmax(s), v)
