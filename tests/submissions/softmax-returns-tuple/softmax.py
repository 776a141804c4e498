import numpy as np


def softmax(x, axis=-1):
    exps = np.exp(x - np.max(x, axis=axis, keepdims=True))
    sums = np.sum(exps, axis=axis, keepdims=True)
    return exps / sums, sums
