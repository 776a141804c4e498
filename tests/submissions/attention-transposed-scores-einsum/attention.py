import numpy as np


def attention(Q, K, V, mask=None):
    q = Q * Q.shape[-1] ** -0.5
    scores = np.einsum("qd,kd->kq", q, K)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ V
