import numpy as np


def softmax(x, axis=-1):
    if axis == 0:
        e = np.exp(x - np.max(x, axis=0, keepdims=True))
        p = e / np.sum(e, axis=0, keepdims=True)
    else:
        e = np.exp(x - np.max(x, axis=-1, keepdims=True))
        p = e / np.sum(e, axis=-1, keepdims=True)
    return p
