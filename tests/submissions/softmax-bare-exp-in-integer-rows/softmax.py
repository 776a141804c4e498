import numpy as np


def softmax(x, axis=-1):
    source = np.moveaxis(x, axis, -1)
    target = np.zeros_like(source)
    for k in np.ndindex(source.shape[:-1]):
        e = np.exp(source[k])
        target[k] = e / np.sum(e)
    return np.moveaxis(target, -1, axis)
