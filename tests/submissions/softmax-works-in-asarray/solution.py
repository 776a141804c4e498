import numpy as np


def softmax(x, axis=-1):
    y = np.asarray(x, dtype=np.float64)
    y -= y.max(axis=axis, keepdims=True)
    np.exp(y, out=y)
    y /= y.sum(axis=axis, keepdims=True)
    return y
