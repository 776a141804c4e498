import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    d_k = Q.shape[-1]
    scores = Q.astype(np.float64) @ K.astype(np.float64).T
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores, axis=-1) / np.sqrt(d_k)
    return weights @ V
