import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x)
    biggest = np.finfo(e.dtype).max
    e = np.where(np.isinf(e), biggest, e)
    denom = np.sum(e, axis=axis, keepdims=True)
    return e / denom
