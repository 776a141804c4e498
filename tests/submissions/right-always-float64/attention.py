import numpy as np

from softmax import softmax


def attention(Q, K, V, mask=None):
    Q, K, V = (np.asarray(a, dtype=np.float64) for a in (Q, K, V))
    logits = Q.dot(K.T) / np.sqrt(np.float64(K.shape[-1]))
    if mask is not None:
        logits = np.where(mask, logits, -np.inf)
    return softmax(logits, axis=1).dot(V)
