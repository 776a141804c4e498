import numpy as np

def softmax(x, axis=-1):
    maximum = np.max(x, axis=axis, keepdims=True)
    difference = x - maximum
    result = np.zeros(x.shape)
    keep = difference > -800
    result[keep] = np.exp(difference[keep])
    result = result / np.sum(result, axis=axis, keepdims=True)
    return result
