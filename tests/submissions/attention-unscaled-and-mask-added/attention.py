import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    Q = Q.astype(np.float64)
    K = K.astype(np.float64)
    scores = Q @ K.T
    if mask is not None:
        scores += mask
    attention_weights = softmax(scores, axis=-1)
    return attention_weights @ V
