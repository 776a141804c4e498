import numpy as np


def softmax(x, axis=-1):
    x -= x.max(axis=axis, keepdims=True)
    result = np.full_like(x, 0)
    e = np.exp(x)
    np.divide(e, e.sum(axis=axis, keepdims=True), out=result, casting="unsafe")
    return result
