import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    Q *= Q.shape[-1] ** -0.5
    scores = Q @ K.T
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores, axis=-1) @ V
