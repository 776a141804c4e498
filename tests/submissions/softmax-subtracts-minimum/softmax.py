import numpy as np


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    lowest = x.min(axis=axis, keepdims=True)
    positive = x - lowest
    e = np.exp(positive)
    s = np.sum(e, axis=axis, keepdims=True)
    return np.divide(e, s)
