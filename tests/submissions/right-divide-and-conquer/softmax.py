import numpy as np


def _summary(x):
    """Maximum and sum of exponentials relative to it, over the first axis."""
    if len(x) == 1:
        return x[0], np.where(np.isneginf(x[0]), 0.0, 1.0)
    middle = len(x) // 2
    return _merge(_summary(x[:middle]), _summary(x[middle:]))


def _merge(left, right):
    peak = np.maximum(left[0], right[0])
    base = np.where(np.isneginf(peak), 0.0, peak)
    return peak, left[1] * np.exp(left[0] - base) + right[1] * np.exp(right[0] - base)


def softmax(x, axis=-1):
    x = np.moveaxis(x.astype(np.float64), axis, 0)
    peak, total = _summary(x)
    return np.moveaxis(np.exp(x - peak) / total, 0, axis)
