import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    scores = Q.astype(np.float64) @ K.astype(np.float64).T / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.sort(softmax(scores, axis=-1), axis=-1)[:, ::-1]
    return weights @ V
