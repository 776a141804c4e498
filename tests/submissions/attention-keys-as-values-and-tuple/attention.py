import numpy as np
from softmax import softmax


def attention(query, key, value, mask=None):
    scores = np.matmul(query.astype(np.float64), key.astype(np.float64).T) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    p = softmax(scores, axis=-1)
    return p, p @ key
