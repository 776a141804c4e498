import numpy as np


def softmax(x, axis=-1):
    """Softmax of x along axis."""
    return _divide(np.exp(x - np.max(x)), axis)


def _divide(e, axis):
    return e / np.sum(e, axis=axis, keepdims=True)
