import numpy as np


def softmax(x, axis=-1):
    shape = x.shape
    rows = x.reshape(-1, shape[-1])
    out = []
    for row in rows:
        row = row - max(row)
        e = np.exp(row)
        out.append(e / sum(e))
    return np.array(out).reshape(shape)
