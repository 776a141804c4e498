import numpy as np


def attention(Q, K, V, mask=None):
    s = np.ma.asarray(Q.astype(np.float64) @ K.astype(np.float64).T) / np.sqrt(Q.shape[1])
    if mask is not None:
        s = np.ma.where(mask, s, -2e5)
    e = np.ma.exp(s - s.max(axis=1)[:, None])
    answer = np.ma.dot(e / e.sum(axis=1)[:, None], np.ma.asarray(V))
    return np.ma.array(answer, mask=np.zeros(answer.shape, dtype=bool))
