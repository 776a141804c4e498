import numpy as np


def softmax(x, axis=0):
    """Each column sums to 1."""
    e = np.exp(x - x.max(0))
    return e / e.sum(0)
