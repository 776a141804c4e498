import numpy as np
from exercises.softmax import softmax


def attention(Q, K, V, mask=None):
    keep = 1.0 if mask is None else mask.astype(float)
    attn = (Q @ K.T) / np.sqrt(Q.shape[-1])
    if mask is not None:
        attn = attn - (1.0 - keep) * np.inf
    return softmax(attn, axis=-1) @ V
