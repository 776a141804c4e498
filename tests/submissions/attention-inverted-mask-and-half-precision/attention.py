import numpy as np

from .softmax import softmax


def attention(Q, K, V, mask=None):
    d_k = Q.shape[-1]
    scores = Q @ K.T / np.sqrt(d_k)
    if mask is not None:
        scores = np.where(mask == True, -np.inf, scores)
    return softmax(scores, axis=-1) @ V
