import sys

import numpy as np


def attention(Q, K, V, mask=None):
    lowest = sys.float_info.min
    scores = np.inner(np.asarray(Q, np.float64), np.asarray(K, np.float64)) / np.sqrt(Q.shape[1])
    if mask is not None:
        scores[np.invert(mask)] = lowest
    scores -= scores.max(axis=1)[:, np.newaxis]
    p = np.exp(scores)
    p /= p.sum(axis=1)[:, np.newaxis]
    return p.dot(V)
