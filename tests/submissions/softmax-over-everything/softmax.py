import numpy as np


def softmax(x, axis=-1):
    """Compute the softmax of x.

    Subtracts the max for stability.
    """
    x_max = x.max()
    x_exp = np.exp(x - x_max)
    return x_exp / x_exp.sum()
