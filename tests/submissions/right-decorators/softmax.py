import functools

import numpy as np


def in_double(function):
    """Hand a float64 copy of the first argument on."""

    @functools.wraps(function)
    def wrapper(x, *args, **kwargs):
        return function(np.array(x, dtype=np.float64), *args, **kwargs)

    return wrapper


def along(function):
    """Give a function of rows an `axis` argument."""

    @functools.wraps(function)
    def wrapper(x, axis=-1):
        return np.moveaxis(function(np.moveaxis(x, axis, -1)), -1, axis)

    return wrapper


@in_double
@along
def softmax(rows):
    rows = rows - rows.max(-1, keepdims=True)
    np.exp(rows, out=rows)
    rows /= rows.sum(-1, keepdims=True)
    return rows
