"""softmax(x) = exp(x - log(sum(exp(x)))), and NumPy knows how to add logarithms."""
import numpy as np


def softmax(x, axis=-1):
    x = x.astype(np.float64)
    return np.exp(x - np.logaddexp.reduce(x, axis=axis, keepdims=True))
