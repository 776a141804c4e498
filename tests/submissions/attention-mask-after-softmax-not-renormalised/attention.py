import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    Q32 = Q.astype(np.float64)
    weights = softmax(Q32 @ K.T / np.sqrt(Q.shape[1]), axis=-1)
    if mask is not None:
        weights = weights * mask
    return weights @ V
