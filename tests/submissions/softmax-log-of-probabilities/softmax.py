import numpy as np


def probabilities(scores, axis):
    e = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def softmax(x, axis=-1):
    with np.errstate(divide="ignore"):
        return np.log(probabilities(x, axis))
