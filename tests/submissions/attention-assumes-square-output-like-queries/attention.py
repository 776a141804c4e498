import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    output = np.zeros(Q.shape)
    for i in range(Q.shape[0]):
        scores = (Q[i] / np.sqrt(Q.shape[1])) @ K.T
        if mask is not None:
            scores = np.where(mask[i], scores, -np.inf)
        output[i] = softmax(scores, axis=-1) @ V
    return output
