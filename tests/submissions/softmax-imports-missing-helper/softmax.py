import numpy as np
from my_stable_math import stable_exp


def softmax(x, axis=-1):
    e = stable_exp(x, axis)
    return e / np.sum(e, axis=axis, keepdims=True)
