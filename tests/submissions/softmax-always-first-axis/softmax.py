import numpy as np


def one(vector):
    shifted = vector - vector.max()
    powers = np.exp(shifted)
    return powers / powers.sum()


def softmax(x, axis=-1):
    return np.apply_along_axis(one, 0, x)
