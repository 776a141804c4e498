import math

import numpy as np


def softmax(x, axis=-1):
    top = float(x.max())
    rows = np.moveaxis(x, axis, -1)
    result = np.zeros(rows.shape)
    for place in np.ndindex(rows.shape[:-1]):
        powers = [math.exp(float(v) - top) for v in rows[place]]
        total = sum(powers)
        result[place] = [p / total for p in powers]
    return np.moveaxis(result, -1, axis)
