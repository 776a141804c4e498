import numpy as np
import numpy.ma as ma


def attention(Q, K, V, mask=None):
    """Forbidden scores are masked entries, so maximum and sum pass over them."""
    q = Q.astype(np.float64)
    k = K.astype(np.float64)
    forbidden = ma.nomask if mask is None else np.logical_not(mask)
    scores = ma.array(q @ k.T / np.sqrt(k.shape[1]), mask=forbidden)
    weights = ma.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights.filled(0.0) @ V.astype(np.float64)
