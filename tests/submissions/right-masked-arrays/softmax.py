import numpy as np
import numpy.ma as ma


def softmax(x, axis=-1):
    present = ma.masked_where(np.isneginf(x), x)
    e = ma.exp(present - present.max(axis=axis, keepdims=True))
    return ma.filled(e / e.sum(axis=axis, keepdims=True), 0.0)
