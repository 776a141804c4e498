import numpy as np


def softmax(x, axis=-1):
    m = x.max(-1)
    e = np.exp(x - m)
    return e / e.sum(-1)
