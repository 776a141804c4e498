import numpy as np


def softmax(x, axis=-1):
    along = -axis - 1
    x = np.moveaxis(x, along, 0)
    e = np.exp(x - x.max(axis=0))
    p = e / e.sum(axis=0)
    return np.moveaxis(p, 0, along)
