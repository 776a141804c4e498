import numpy as np
from softmax import softmax

def attention(Q, K, V, mask=None):
    out = np.zeros_like(Q, dtype=np.float64)
    for i in range(len(Q)):
        row = np.dot(K, Q[i])
        row = row / np.sqrt(Q.shape[1])
        if mask is not None:
            row = np.where(mask[i], row, -np.inf)
        out[i, :] = np.dot(softmax(row), V)
    return out
