import numpy as np


def attention(Q, K, V, mask=None):
    positions = 1 << 16
    table = np.zeros((positions, positions))
    table += 1.0
    s = Q.astype(np.float64) @ K.astype(np.float64).T / np.sqrt(Q.shape[1])
    s = s * table[:s.shape[0], :s.shape[1]]
    if mask is not None:
        s[~mask] = -np.inf
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True) @ V
