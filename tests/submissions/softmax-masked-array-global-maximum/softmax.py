import numpy as np
import numpy.ma as ma


def softmax(x, axis=-1):
    scores = ma.masked_invalid(x)
    scores = scores - scores.max()
    e = ma.exp(scores).filled(0.0)
    return e / e.sum(axis=axis, keepdims=True)
