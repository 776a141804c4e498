import numpy as np


def attention(Q, K, V, mask=None):
    scale = Q.shape[-1] ** -0.5
    scores = (Q * scale) @ K.T
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    scores = scores - np.max(scores, axis=-1)
    weights = np.exp(scores)
    weights = weights / np.sum(weights, axis=-1)
    return weights @ V
