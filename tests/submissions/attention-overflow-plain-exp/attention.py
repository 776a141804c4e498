import numpy as np


def attention(Q, K, V, mask=None):
    """Scaled dot-product attention."""
    Q = Q.astype(np.float32) if Q.dtype == np.float16 else Q
    d_k = Q.shape[-1]
    scores = Q @ K.T / d_k ** 0.5
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ V
