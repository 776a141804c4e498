import numpy as np


def softmax(x, axis=-1):
    """Softmax of x along axis, scaled by the peak so that exp cannot explode."""
    peak = np.amax(x, axis=axis, keepdims=True)
    numerator = np.exp(x / peak)
    denominator = np.sum(numerator, axis=axis, keepdims=True)
    return numerator / denominator
