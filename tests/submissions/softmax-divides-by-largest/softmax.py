import numpy as np


def normalise(e, axis):
    return e / np.max(e, axis=axis, keepdims=True)


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return normalise(e, axis)
