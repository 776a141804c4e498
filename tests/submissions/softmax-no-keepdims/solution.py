import numpy as np


def softmax(x, axis=-1):
    return (lambda e: e / e.sum(axis))(np.exp(x - x.max(axis)))
