import math
import numpy as np

INFINITY = math.inf


def attention(Q, K, V, mask=None):
    q = Q.astype(np.float64)
    k = K.astype(np.float64)
    v = V.astype(np.float64)
    s = q @ k.transpose() / math.sqrt(q.shape[1])
    if mask is not None:
        blocked = np.logical_not(mask).astype(float)
        s = s - blocked * INFINITY
    s = s - s.max(axis=1, keepdims=True)
    w = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    return w @ v
