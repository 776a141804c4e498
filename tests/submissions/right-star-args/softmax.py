import numpy as np


def softmax(*args, **kwargs):
    x, *rest = args
    axis = kwargs.pop("axis", rest[0] if rest else -1)
    if kwargs:
        raise TypeError(f"unknown: {sorted(kwargs)}")
    e = np.exp(np.subtract(x, np.max(x, axis, keepdims=True)))
    return e / np.sum(e, axis, keepdims=True)
