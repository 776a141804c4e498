import numpy as np


def log_sum_exp(x, axis):
    peak = x.max(axis=axis)
    return peak + np.log(np.exp(x - np.expand_dims(peak, axis)).sum(axis=axis))


def softmax(x, axis=-1):
    return x - log_sum_exp(x, axis)
