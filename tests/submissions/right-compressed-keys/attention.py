import numpy as np

from .softmax import softmax


def attention(Q, K, V, mask=None):
    out = np.zeros((Q.shape[0], V.shape[1]), dtype=np.result_type(V, np.float32))
    for i, q in enumerate(Q):
        seen = np.arange(K.shape[0]) if mask is None else np.flatnonzero(mask[i])
        scores = K[seen].astype(np.float64) @ q.astype(np.float64) / Q.shape[1] ** 0.5
        out[i] = softmax(scores) @ V[seen]
    return out
