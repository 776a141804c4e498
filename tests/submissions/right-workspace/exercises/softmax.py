import numpy as np


def softmax(x, axis=-1):
    shifted = x - np.maximum.reduce(x, axis=axis, keepdims=True)
    weights = np.exp(shifted)
    return weights / np.add.reduce(weights, axis=axis, keepdims=True)
