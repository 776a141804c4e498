import numpy as np


def attention(Q, K, V, mask=None):
    scores = Q.astype(np.float64) @ K.astype(np.float64).T
    scores = scores / np.sqrt(K.shape[1])
    if mask is not None:
        scores[~mask] = -1e9
    weights = softmax(scores, axis=1)
    return weights @ V
