import numpy as np


def column(x):
    e = np.exp(x - x.max(axis=0))
    return e / e.sum(axis=0)


def attention(Q, K, V, mask=None):
    return column((Q.astype(float) / np.sqrt(Q.shape[-1])) @ K.T) @ V
