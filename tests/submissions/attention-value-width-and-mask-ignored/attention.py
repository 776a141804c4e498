import numpy as np
from exercises.softmax import softmax


def attention(Q, K, V, mask=None):
    d = V.shape[-1]
    s = np.einsum("ij,kj->ik", Q.astype(np.float64), K.astype(np.float64)) / np.sqrt(d)
    return np.einsum("ik,kl->il", softmax(s), V)
