import numpy as np
from exercises.softmax import softmax


def attention(Q, K, V, mask=None):
    scores = Q.astype(np.float64) @ K.astype(np.float64).T / np.sqrt(Q.shape[1])
    if mask is not None:
        np.logical_not(mask, out=mask)
        scores[mask] = -np.inf
    return softmax(scores, axis=1) @ V
