import numpy as np


def softmax(x, axis=-1):
    wide = x.astype(np.longdouble)
    wide = np.exp(wide - wide.max(axis=axis, keepdims=True))
    return wide / wide.sum(axis=axis, keepdims=True)
