import numpy as np
from exercises.softmax import softmax


def attention(Q, K, V, mask=None):
    w = softmax((Q / np.sqrt(Q.shape[1])) @ K.T, axis=-1)
    if mask is not None:
        w[mask] = 0.0
    return w @ V
