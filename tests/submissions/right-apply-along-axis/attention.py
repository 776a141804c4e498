import numpy as np

from exercises.softmax import softmax


def attention(Q, K, V, mask=None):
    keys = K.astype(float) / np.sqrt(K.shape[1])
    scores = np.apply_along_axis(lambda q: keys @ q.astype(float), 1, Q)
    if mask is not None:
        scores = scores + np.where(mask, 0, -np.inf)
    weights = np.apply_along_axis(softmax, 1, scores)
    return np.apply_along_axis(lambda w: w @ V, 1, weights)
