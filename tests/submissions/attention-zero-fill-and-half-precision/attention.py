import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    scores = np.matmul(Q, K.transpose())
    scores = scores / np.sqrt(K.shape[1])
    if mask is not None:
        scores[np.logical_not(mask)] = 0
    weights = softmax(scores)
    return np.matmul(weights, V)
