import numpy as np


def attention(Q, K, V, mask=None):
    n = len(Q)
    exp_scores = np.exp(Q.astype(np.float64) @ K.astype(np.float64).T)
    total = exp_scores.sum(axis=1).reshape(n, 1)
    return (exp_scores / total) @ V
