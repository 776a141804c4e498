import numpy as np


def softmax(x, axis=-1):
    z = np.subtract(x, x.max(axis=axis, keepdims=True), dtype=float)
    e = 2.0**z
    return e / e.sum(axis=axis, keepdims=True)
