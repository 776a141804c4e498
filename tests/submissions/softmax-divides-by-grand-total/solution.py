import numpy as np


def stable_exp(x, axis):
    return np.exp(x - x.max(axis=axis, keepdims=True))


softmax = lambda x, axis=-1: stable_exp(x, axis) / np.sum(stable_exp(x, axis))
