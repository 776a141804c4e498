import numpy as np
from softmax import softmax


def additive(mask):
    return np.where(mask, 0.0, -1e4)


def attention(Q, K, V, mask=None):
    scores = Q.astype(np.float64) @ K.astype(np.float64).T * (1.0 / np.sqrt(Q.shape[1]))
    if mask is not None:
        scores = scores + additive(mask)
    return softmax(scores, axis=1) @ V
