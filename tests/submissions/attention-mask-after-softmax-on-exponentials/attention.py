import numpy as np


def attention(Q, K, V, mask=None):
    scores = Q.astype(float) @ K.astype(float).T / Q.shape[1] ** 0.5
    numerators = np.exp(scores - scores.max(axis=1, keepdims=True))
    if mask is not None:
        numerators *= mask
    denominators = numerators.sum(axis=1, keepdims=True)
    return numerators / denominators @ V
