import numpy as np


def softmax(x, axis=-1):
    biggest = np.max(x, axis=axis, keepdims=True)
    e = np.exp(x - biggest)
    return np.squeeze(e / np.sum(e, axis=axis, keepdims=True))
