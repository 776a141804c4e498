import numpy as np


def softmax(x, axis=-1):
    x = x - np.max(x, axis=axis)
    e = np.exp(x)
    return e / np.sum(e, axis=axis, keepdims=True)
