import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    scores = np.matmul(Q / np.sqrt(Q.shape[1]), K.T)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores, axis=-1)
    if V.shape[1] == Q.shape[1]:
        Q[...] = weights @ V
        return Q
    return weights @ V
