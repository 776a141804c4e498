import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    scores = np.matmul(Q / np.sqrt(Q.shape[1]), K.T)
    if mask is not None:
        scores = np.where(mask, 0, scores)
    return softmax(scores, axis=-1) @ V
