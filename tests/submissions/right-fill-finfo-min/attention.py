"""Attention with the most negative finite score as the fill value."""

import numpy as np

from .softmax import softmax


def attention(q, k, v, mask=None):
    scores = (q / q.dtype.type(np.sqrt(q.shape[-1]))) @ k.T
    if mask is not None:
        lowest = np.finfo(scores.dtype).min
        scores = np.where(mask, scores, lowest)
    return softmax(scores) @ v
