import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    Q, K, V = Q.astype(np.longdouble), K.astype(np.longdouble), V.astype(np.longdouble)
    scores = Q @ K.T / np.sqrt(np.longdouble(K.shape[1]))
    if mask is not None:
        scores = np.where(mask, scores, np.longdouble("-inf"))
    return softmax(scores, axis=-1) @ V
