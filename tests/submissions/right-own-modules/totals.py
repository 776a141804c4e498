import numpy as np


def share(amounts, axis):
    """Each amount as a part of the total along `axis`."""
    return amounts / np.sum(amounts, axis=axis, keepdims=True)
