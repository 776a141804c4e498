import numpy as np


def softmax(x, axis=-1):
    if x.dtype.kind == "f":
        x[np.isneginf(x)] = np.finfo(x.dtype).min
    z = x - x.max(axis=axis, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=axis, keepdims=True)
