import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    """Returns (output, attention weights)."""
    d_k = Q.shape[-1]
    scores = np.matmul(Q, K.T) / np.sqrt(d_k)
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    p_attn = softmax(scores, axis=-1)
    return np.matmul(p_attn, V), p_attn
