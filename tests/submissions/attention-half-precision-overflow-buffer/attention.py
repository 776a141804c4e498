import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    dtype = np.result_type(Q, K)
    scores = np.empty((Q.shape[0], K.shape[0]), dtype=dtype)
    for i, q in enumerate(Q):
        scores[i] = K.astype(np.float64) @ q.astype(np.float64)
    scores = scores / Q.shape[1] ** 0.5
    if mask is not None:
        scores = np.where(mask, scores, float("-inf"))
    return softmax(scores) @ V
