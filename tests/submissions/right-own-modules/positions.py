import numpy as np


def of_queries(n):
    return np.arange(n).reshape(n, 1)


def of_keys(n):
    return np.arange(n).reshape(1, n)
