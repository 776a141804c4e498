import math

import numpy as np


def softmax_1d(row):
    top = max(row)
    e = [math.exp(v - top) for v in row]
    s = math.fsum(e)
    return np.array([v / s for v in e], dtype=row.dtype)


def softmax(x, axis=-1):
    return np.apply_along_axis(softmax_1d, axis, x)
