import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    Q, K, V = Q[None].astype(np.float64), K[None].astype(np.float64), V[None].astype(np.float64)
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask[None], scores, -np.inf)
    return softmax(scores, axis=-1) @ V
