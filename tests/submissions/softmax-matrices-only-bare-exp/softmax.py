import numpy as np


def softmax(x, axis=-1):
    m, n = x.shape
    e = np.exp(x)
    out = np.zeros((m, n))
    for i in range(m):
        for j in range(n):
            if axis in (1, -1):
                out[i, j] = e[i, j] / sum(e[i, k] for k in range(n))
            else:
                out[i, j] = e[i, j] / sum(e[k, j] for k in range(m))
    return out
