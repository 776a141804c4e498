import numpy as np


def attention(Q, K, V, mask=None):
    A = Q.astype(np.float64) @ K.astype(np.float64).T
    if mask is not None:
        A = np.where(mask, A, -1e9)
    return A @ V.astype(np.float64)
