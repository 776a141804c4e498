"""p_i = 1 / sum_j exp(x_j - x_i).

An infinite ratio gives weight 0, which is what it should be.
"""

import numpy as np


def softmax(x, axis=-1):
    x = np.moveaxis(x.astype(np.float64), axis, -1)
    never = np.isneginf(x)
    p = np.zeros_like(x)
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(x.shape[-1]):
            ratios = np.where(never, 0.0, np.exp(x - x[..., i : i + 1]))
            p[..., i] = 1.0 / ratios.sum(axis=-1)
    p[never] = 0.0
    return np.moveaxis(p, -1, axis)
