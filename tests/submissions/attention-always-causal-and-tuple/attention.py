import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    scores = Q.astype(np.float64) @ K.astype(np.float64).T / np.sqrt(K.shape[-1])
    mask = np.tri(*scores.shape, dtype=bool)
    scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores, axis=-1)
    return weights @ V, weights
