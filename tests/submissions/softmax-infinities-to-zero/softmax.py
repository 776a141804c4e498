import numpy as np


def softmax(x, axis=-1):
    x = np.where(np.isinf(x), 0, x)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
