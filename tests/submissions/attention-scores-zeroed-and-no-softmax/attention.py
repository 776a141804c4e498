import numpy as np


def attention(Q, K, V, mask=None):
    weights = Q.astype(np.float64) @ K.astype(np.float64).T / np.sqrt(Q.shape[1])
    if mask is not None:
        weights = weights * mask
    return weights @ V
