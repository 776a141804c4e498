import numpy as np


def softmax(x, axis=-1):
    y = x.copy()
    y -= y.max(axis=axis, keepdims=True)
    np.exp(y, out=y)
    y /= y.sum(axis=axis, keepdims=True)
    return y
