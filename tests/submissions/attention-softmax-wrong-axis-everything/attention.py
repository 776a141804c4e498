import numpy as np


def normalise(scores):
    exps = np.exp(scores - np.max(scores))
    return exps / np.sum(exps)


def attention(Q, K, V, mask=None):
    scores = np.matmul(Q.astype(np.float64), K.astype(np.float64).T) / np.sqrt(K.shape[-1])
    if mask is not None:
        scores[~mask] = -np.inf
    return np.matmul(normalise(scores), V)
