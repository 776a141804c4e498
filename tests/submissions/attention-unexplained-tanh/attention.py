import numpy as np


def attention(Q, K, V, mask=None):
    z = np.tensordot(Q.astype(float), K.astype(float), axes=([1], [1])) / np.sqrt(Q.shape[1])
    w = np.tanh(z)
    if mask is not None:
        w = np.where(mask, w, 0.0)
    return w @ V
