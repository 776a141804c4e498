import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    # scale first, multiply in float64
    queries = Q.astype(np.float64) / np.sqrt(Q.shape[1])
    scores = queries @ K.T.astype(np.float64)
    if mask is not None:
        bias = (1.0 - mask.astype(np.float64)) * -1e9
        scores = scores + bias
    weights = softmax(scores, axis=1)
    return weights @ V
