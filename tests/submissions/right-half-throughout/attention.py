import numpy as np

from exercises.softmax import softmax


def attention(Q, K, V, mask=None):
    own = Q.dtype.type
    small = Q * own(1 / np.sqrt(Q.shape[1]))
    scores = np.matmul(small, K.T, dtype=Q.dtype)
    if mask is not None:
        scores = np.where(mask, scores, own(-np.inf))
    return np.matmul(softmax(scores), V, dtype=Q.dtype)
