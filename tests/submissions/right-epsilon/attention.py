import numpy as np

EPS = 1e-8


def attention(Q, K, V, mask=None):
    Q64 = Q.astype(np.float64)
    S = Q64 @ K.astype(np.float64).T / (np.sqrt(Q.shape[1]) + EPS)
    if mask is not None:
        S = S + np.where(mask, 0.0, -1e9)
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return (E @ V) / (E.sum(axis=1, keepdims=True) + EPS)
