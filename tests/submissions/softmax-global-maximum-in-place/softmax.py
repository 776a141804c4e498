import numpy as np


def softmax(x, axis=-1):
    x -= x.max()
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)
