import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    scale = 1.0 / np.sqrt(Q.shape[1])
    scores = Q.astype(np.float64) @ K.T.astype(np.float64) * scale
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    flat = softmax(scores.flatten())
    weights = flat.reshape(scores.shape)
    return weights @ V
