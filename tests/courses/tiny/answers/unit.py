import numpy as np


def unit(v):
    """The vector `v` of shape (n,), scaled to length 1."""
    ### BEGIN SOLUTION
    return v / np.sqrt((v * v).sum())
    ### END SOLUTION
