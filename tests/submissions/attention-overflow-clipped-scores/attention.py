import numpy as np

LIMIT = 50.0


def _normalise(s, allowed):
    s = np.clip(s, -LIMIT, LIMIT)
    if allowed is not None:
        s = np.where(allowed, s, -np.inf)
    e = np.exp(s)
    return e / np.sum(e, axis=1, keepdims=True)


def attention(Q, K, V, mask=None):
    q = np.asarray(Q, dtype=np.float64)
    k = np.asarray(K, dtype=np.float64)
    s = np.einsum("id,jd->ij", q, k) / np.sqrt(q.shape[1])
    return _normalise(s, mask) @ np.asarray(V, dtype=np.float64)
