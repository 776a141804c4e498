import numpy as np


def attention(Q, K, V, mask=None):
    scores = np.empty((Q.shape[0], K.shape[0]))
    np.matmul(Q.astype(np.float64), K.astype(np.float64).T, out=scores)
    np.multiply(scores, 1.0 / np.sqrt(Q.shape[1]), out=scores)
    if mask is not None:
        np.copyto(scores, -np.inf, where=~mask)
    column = scores.max(axis=1, keepdims=True)
    np.subtract(scores, column, out=scores)
    np.exp(scores, out=scores)
    np.sum(scores, axis=1, keepdims=True, out=column)
    result = scores @ V
    np.divide(result, column, out=result)
    return result
