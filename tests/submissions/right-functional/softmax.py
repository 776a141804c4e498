from functools import reduce
from itertools import repeat
from math import exp, fsum
from operator import sub, truediv

import numpy as np


def weights(row):
    powers = list(map(exp, map(sub, row, repeat(reduce(max, row)))))
    return list(map(truediv, powers, repeat(fsum(powers))))


def deep(function, nested):
    """Apply `function` to the innermost lists."""
    return [deep(function, n) for n in nested] if isinstance(nested[0], list) else function(nested)


def softmax(x, axis=-1):
    return np.moveaxis(np.array(deep(weights, np.moveaxis(x, axis, -1).tolist())), -1, axis)
