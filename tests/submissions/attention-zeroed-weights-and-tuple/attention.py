import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    scores = (Q / np.sqrt(Q.shape[1])) @ K.T
    attn = softmax(scores, axis=-1)
    if mask is not None:
        attn = attn * mask
    return attn @ V, attn
