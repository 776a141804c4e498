import numpy as np


def softmax(x, axis=-1):
    m = np.ma.masked_invalid(x)
    e = np.ma.exp(m - m.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
