"""Softmax along any axis."""

import numpy as np


def softmax(x, axis=-1):
    """Turn scores into weights that sum to 1 along `axis`."""
    shifted = x - np.max(x, axis=axis, keepdims=True)
    weights = np.exp(shifted)
    return weights / np.sum(weights, axis=axis, keepdims=True)
