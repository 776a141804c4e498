import numpy as np


def softmax(x, axis=-1):
    normaliser = np.log(np.sum(np.exp(x), axis=axis, keepdims=True))
    return x - normaliser
