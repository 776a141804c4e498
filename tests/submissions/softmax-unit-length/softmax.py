import numpy as np


def softmax(x, axis=-1):
    z = x - np.max(x, axis=axis, keepdims=True)
    e = np.exp(z)
    length = np.sqrt(np.sum(e**2, axis=axis, keepdims=True))
    return e / length
