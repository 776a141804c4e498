import numpy as np


def softmax(x, axis=-1):
    z = np.asarray(x, dtype=np.float64)
    z = z - z.max(axis=axis, keepdims=True)
    p = np.exp(z)
    p = p / p.sum(axis=axis, keepdims=True)
    assert p.dtype == np.float64 and p.shape == x.shape
    return p
