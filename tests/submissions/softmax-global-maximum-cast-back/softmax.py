import numpy as np


def softmax(x, axis=-1):
    largest = np.amax(x)
    e = np.exp(np.subtract(x, largest))
    p = e / np.sum(e, axis=axis, keepdims=True)
    result = np.ndarray(shape=x.shape, dtype=x.dtype)
    result[...] = p
    return result
