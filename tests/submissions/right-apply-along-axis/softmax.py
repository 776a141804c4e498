import numpy as np


def softmax_of_vector(v):
    w = np.exp(v - np.max(v))
    return w / np.sum(w)


def softmax(x, axis=-1):
    return np.apply_along_axis(softmax_of_vector, axis, x)
