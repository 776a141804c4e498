import numpy as np


def logsumexp(x, axis):
    return np.log(np.exp(x).sum(axis=axis, keepdims=True))


def softmax(x, axis=-1):
    return np.exp(x - logsumexp(x, axis))
