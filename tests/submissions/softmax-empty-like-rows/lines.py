import numpy as np


def lines_along(array, axis):
    """Yield a view of every line of array along axis."""
    moved = np.moveaxis(array, axis, -1)
    for index in np.ndindex(moved.shape[:-1]):
        yield moved[index]
