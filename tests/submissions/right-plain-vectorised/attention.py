"""Scaled dot-product attention."""

import numpy as np

from exercises.softmax import softmax


def attention(Q, K, V, mask=None):
    """softmax(Q K^T / sqrt(d_k)) V, with True in `mask` meaning "may attend"."""
    d_k = Q.shape[-1]
    scores = (Q / np.sqrt(d_k)) @ K.T
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores, axis=-1) @ V
