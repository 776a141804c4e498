import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    raw = np.matmul(Q.astype(np.float64), K.astype(np.float64).T)
    if mask is not None:
        raw[~mask] = -10
    raw /= np.sqrt(K.shape[1])
    return np.matmul(softmax(raw, axis=-1), V)
