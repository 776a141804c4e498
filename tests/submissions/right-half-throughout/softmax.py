import numpy as np


def softmax(x, axis=-1):
    """Same floating dtype out as in; integers become float64."""
    if not np.issubdtype(x.dtype, np.floating):
        x = x.astype(np.float64)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    total = e.sum(axis=axis, keepdims=True, dtype=x.dtype)
    return np.divide(e, total, dtype=x.dtype)
