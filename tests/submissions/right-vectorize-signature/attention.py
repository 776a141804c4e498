import numpy as np

from exercises.softmax import softmax


def _one(q, K, V, visible):
    scores = K @ q / np.sqrt(len(q))
    return softmax(np.where(visible, scores, -np.inf)) @ V


_all = np.vectorize(_one, signature="(d),(k,d),(k,v),(k)->(v)")


def attention(Q, K, V, mask=None):
    visible = True if mask is None else mask
    visible = np.broadcast_to(visible, (Q.shape[0], K.shape[0]))
    return _all(Q.astype(np.float64), K.astype(np.float64), V.astype(np.float64), visible)
