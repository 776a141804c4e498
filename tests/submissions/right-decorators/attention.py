import functools

import numpy as np

from exercises.softmax import softmax


def optional_mask(function):
    @functools.wraps(function)
    def wrapper(q, k, v, mask=None):
        if mask is None:
            mask = np.ones((q.shape[0], k.shape[0]), dtype=bool)
        return function(q, k, v, mask)

    return wrapper


def unit_variance(function):
    """Divide the queries by the root of their width, in at least single precision."""

    @functools.wraps(function)
    def wrapper(q, k, v, mask):
        wide = np.promote_types(q.dtype, "f4")
        q = q.astype(wide) / wide.type(q.shape[1]) ** wide.type(0.5)
        return function(q, k.astype(wide), v.astype(wide), mask)

    return wrapper


@optional_mask
@unit_variance
def attention(q, k, v, mask):
    return softmax(np.where(mask, q @ k.T, -np.inf)) @ v
