import numpy as np
from .softmax import softmax
from .scoring import scaled_scores


def attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    masked = scores.copy()
    if mask is not None:
        masked[np.where(mask == 0)] = -np.inf
    weights = softmax(scores, axis=1)
    return weights @ V
