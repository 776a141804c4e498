import numpy as np
from exercises.softmax import softmax


def blend(mask, yes, no):
    m = mask.astype(np.float32)
    return m * yes + (1.0 - m) * no


def attention(Q, K, V, mask=None):
    S = np.dot(Q.astype(np.float64), K.astype(np.float64).T) / np.sqrt(K.shape[1])
    S = S if mask is None else blend(mask, S, -np.inf)
    return np.dot(softmax(S, axis=1), V)
