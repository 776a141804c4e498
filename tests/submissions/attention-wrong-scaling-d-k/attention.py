import numpy as np
from .softmax import softmax


def attention(Q, K, V, mask=None):
    d_k = Q.shape[-1]
    scores = Q.astype(np.float32) @ K.astype(np.float32).T / d_k if Q.dtype == np.float16 else Q @ K.T / d_k
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores, axis=-1) @ V
