import numpy as np


def attention(Q, K, V, mask=None):
    Q = Q.astype(np.float64)
    ones = np.ones((V.shape[0], 1))
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    powers = np.exp(scores - scores.max(1, keepdims=True))
    both = powers @ np.concatenate([V, ones], axis=1)
    return both[:, :-1] / both[:, -1:]
