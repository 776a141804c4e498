import numpy as np

from exercises.softmax import softmax


def attention(Q, K, V, mask=None):
    Q = Q.astype(np.float64)
    K = K.astype(np.float64)
    scores = Q @ K.T
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores, axis=-1) @ V
