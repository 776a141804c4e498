import numpy as np
from softmax import softmax

def attention(Q, K, V, mask=None):
    n = Q.shape[0]
    d_v = V.shape[1]
    out = np.zeros((n, d_v))
    for i in range(n):
        s = []
        for j in range(n):
            s.append(float(np.dot(Q[i].astype(np.float64), K[j].astype(np.float64))))
        s = np.array(s)
        if mask is not None:
            s[~mask[i]] = -np.inf
        w = softmax(s)
        for j in range(n):
            out[i] += w[j] * V[j]
    return out
