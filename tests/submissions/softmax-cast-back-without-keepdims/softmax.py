import numpy as np


def softmax(x, axis=-1):
    kind = x.dtype
    z = x - np.max(x, axis=axis, keepdims=True)
    e = np.exp(z)
    p = e / np.sum(e, axis=axis)
    return p.astype(kind)
