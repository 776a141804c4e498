import numpy as np

from .softmax import softmax


def attention(Q, K, V, mask=None):
    precision = np.float64 if Q.dtype == np.float64 else np.float32
    Q, K, V = Q.astype(precision), K.astype(precision), V.astype(precision)
    scores = Q @ K.T / precision(np.sqrt(Q.shape[1]))
    if mask is not None:
        scores = np.where(mask, scores, precision(-np.inf))
    return softmax(scores) @ V
