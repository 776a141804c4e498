import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    n, d = V.shape
    scores = np.dot(Q.astype(np.float64), K.astype(np.float64).T)
    scores = scores / np.sqrt(d)
    if mask is not None:
        scores[~mask] = -1e9
    attention_weights = softmax(scores, axis=1)
    return np.dot(attention_weights, V)
