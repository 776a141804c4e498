import numpy as np


def softmax(x, axis=-1):
    """Divide e^x by the sum of e^x; the maximum cancels out — so take it away first."""
    x_max = np.max(x, axis=axis, keepdims=True)
    e_x = np.exp(x - x_max)
    return e_x / e_x.sum(axis=axis, keepdims=True)
