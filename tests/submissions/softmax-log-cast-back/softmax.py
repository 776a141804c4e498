import numpy as np


def softmax(x, axis=-1):
    shifted = x - np.max(x, axis=axis, keepdims=True)
    logs = shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))
    return np.array(logs, dtype=x.dtype)
