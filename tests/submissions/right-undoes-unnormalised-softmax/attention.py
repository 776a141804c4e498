import numpy as np

from .softmax import softmax


def attention(Q, K, V, mask=None):
    S = np.matmul(Q, K.T, dtype=np.float64) / np.sqrt(Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    W = softmax(S)
    W = W / np.sum(W, axis=1, keepdims=True)
    return np.matmul(W, V)
