import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    scores = Q.astype(np.float64) @ K.astype(np.float64).T / np.sqrt(Q.shape[1])
    if mask is not None:
        mask ^= True
        scores = np.where(mask, scores, -1e9)
    return softmax(scores) @ V
