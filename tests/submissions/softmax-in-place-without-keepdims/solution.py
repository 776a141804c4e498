import numpy as np


def softmax(x, axis=-1):
    x -= np.amax(x, axis)
    return np.exp(x) / np.sum(np.exp(x), axis, keepdims=True)
