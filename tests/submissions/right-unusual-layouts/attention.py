import numpy as np

from exercises.softmax import softmax


def attention(Q, K, V, mask=None):
    scores = Q.astype(np.float64) @ K.T.astype(np.float64) / np.sqrt(Q.shape[1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return np.asfortranarray(softmax(scores[::-1])[::-1] @ V)
