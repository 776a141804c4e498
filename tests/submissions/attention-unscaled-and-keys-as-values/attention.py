import numpy as np


def attention(Q, K, V, mask=None):
    Q, K = np.array(Q, dtype=np.float64), np.array(K, dtype=np.float64)
    result = []
    for i, query in enumerate(Q):
        s = K @ query
        if mask is not None:
            s = np.where(mask[i], s, -np.inf)
        w = np.exp(s - s.max())
        w = w / w.sum()
        result.append(w @ K)
    return np.array(result)
