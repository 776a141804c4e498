from __future__ import annotations

import numpy as np

from softmax import softmax


def attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    """Scores are held as (n_k, n_q), and normalised over the first axis."""
    by_key = np.asarray(K, "f8") @ np.asarray(Q, "f8").swapaxes(0, 1) / np.sqrt(K.shape[1])
    if mask is not None:
        by_key = np.where(mask.swapaxes(0, 1), by_key, -np.inf)
    return softmax(by_key, axis=0).swapaxes(0, 1) @ V
