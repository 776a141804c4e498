import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    d_k = Q.shape[-1]
    Q /= d_k
    scores = Q.astype(np.float64) @ K.T
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores, axis=-1) @ V
