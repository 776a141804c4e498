import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    scores = np.einsum("qd,kd->qk", Q, K) / np.sqrt(Q.shape[1])
    if mask is not None:
        mask[...] = ~mask
        scores = np.ma.array(scores, mask=mask).filled(-np.inf)
    return softmax(scores, axis=-1) @ V
