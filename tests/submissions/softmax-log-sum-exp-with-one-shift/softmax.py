import numpy as np


def log_sum_exp(x, axis):
    c = np.max(x)
    return c + np.log(np.sum(np.exp(x - c), axis=axis, keepdims=True))


def softmax(x, axis=-1):
    return np.exp(x - log_sum_exp(x, axis))
