import numpy as np


def softmax(x, axis=-1):
    c = x.ravel()[np.argmax(x)]
    z = x - c
    return z - np.log(np.exp(z).sum(axis=axis, keepdims=True))
