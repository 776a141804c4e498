"""Softmax, written on Windows."""
import numpy as np


def softmax(x, axis=-1):
    """
    The longest line of this module is a continued one:
    """
    largest = np.max(x, axis=axis, keepdims=True)
    powers = np.exp(x \
                    - largest)
    return powers / np.sum(powers, axis=axis, keepdims=True)
