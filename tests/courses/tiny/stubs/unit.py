import numpy as np


def unit(v):
    """The vector `v` of shape (n,), scaled to length 1."""
    raise NotImplementedError
