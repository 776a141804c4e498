"""Softmax with a compensated sum (Neumaier, 1974)."""

import numpy as np


def _compensated(terms):
    """Sum over the first axis, smallest terms first, with a running correction."""
    total = np.zeros(terms.shape[1:])
    lost = np.zeros(terms.shape[1:])
    for term in np.sort(terms, axis=0):
        new = total + term
        lost += np.where(total >= term, (total - new) + term, (term - new) + total)
        total = new
    return total + lost


def softmax(x, axis=-1):
    x = np.moveaxis(x, axis, 0).astype(np.float64)
    terms = np.exp(x - x.max(axis=0))
    return np.moveaxis(terms / _compensated(terms), 0, axis)
