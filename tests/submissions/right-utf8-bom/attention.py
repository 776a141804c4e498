from __future__ import annotations

import numpy as np

from softmax import softmax


def attention(Q, K, V, mask=None):
    """softmax(Q·Kᵀ ∕ √d) · V"""
    Q, K = Q.astype(np.float64), K.astype(np.float64)
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    return softmax(scores) @ V
