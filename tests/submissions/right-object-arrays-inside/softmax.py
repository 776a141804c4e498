import math
from fractions import Fraction

import numpy as np

exponential = np.frompyfunc(math.exp, 1, 1)
fraction = np.frompyfunc(Fraction, 1, 1)


def softmax(x, axis=-1):
    gap = x.astype(np.float64) - x.max(axis=axis, keepdims=True).astype(np.float64)
    powers = np.asarray(exponential(gap), dtype=object)
    totals = np.add.reduce(fraction(powers.astype(np.float64)), axis=axis, keepdims=True)
    return powers.astype(np.float64) / totals.astype(np.float64)
