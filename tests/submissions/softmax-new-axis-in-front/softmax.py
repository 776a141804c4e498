import numpy as np


def softmax(x, axis=-1):
    m = np.max(x, axis=axis)[np.newaxis]
    e = np.exp(x - m)
    s = np.sum(e, axis=axis)[np.newaxis]
    return e / s
