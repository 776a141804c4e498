import numpy as np


def softmax(x, axis=-1):
    top = np.exp(x)
    bottom = np.sum(top, axis=-1, keepdims=True)
    return (top / bottom).astype(x.dtype)
