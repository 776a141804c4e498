import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    d_k = K.shape[1]
    scores = np.matmul(Q / np.sqrt(d_k), K.T)
    if mask is not None:
        scores = np.where(mask, -np.inf, scores)
    return np.matmul(softmax(scores, axis=-1), V)
