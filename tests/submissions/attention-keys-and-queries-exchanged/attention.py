import numpy as np
from exercises.softmax import softmax


def attention(Q, K, V, mask=None):
    s = K @ (Q.astype(np.float64) / np.sqrt(Q.shape[1])).T
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    return softmax(s, axis=-1) @ Q
