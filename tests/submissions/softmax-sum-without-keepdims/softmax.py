import numpy as np


def softmax(x, axis=-1):
    biggest = x.max(axis=axis, keepdims=True)
    top = np.exp(x - biggest)
    bottom = top.sum(axis=axis)
    result = top / bottom
    return result
