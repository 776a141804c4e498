import numpy as np

from .softmax import softmax


def attention(Q, K, V, mask=None):
    Q = Q.astype(np.float64)
    scores = Q @ K.T / np.sqrt(Q.shape[1])

    if mask is not None:
        scores = np.where(mask, scores, -1e5)

    return softmax(scores) @ V
