import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    logits = np.matmul(Q, K.T)
    if mask is not None:
        logits = np.where(mask, logits, -1e9)
    probs = softmax(logits, axis=-1)
    context = np.matmul(probs, V)
    return context / np.sqrt(K.shape[-1])
