import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    weights = softmax(Q.astype(np.float64) @ K.astype(np.float64).T, axis=-1)
    weights = weights / np.sqrt(Q.shape[1])
    if mask is not None:
        weights = np.where(mask, weights, 0)
    return weights @ V
