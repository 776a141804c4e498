import numpy as np
from exercises.softmax import softmax


def scale(x):
    return x / np.sqrt(x.shape[-1])


def attention(Q, K, V, mask=None):
    scores = scale(Q) @ scale(K).T
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores) @ V
