import numpy as np


def softmax(x, axis=-1):
    # logarithms are the stabler thing to keep
    x = x - x.max(axis=axis, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=axis, keepdims=True))
