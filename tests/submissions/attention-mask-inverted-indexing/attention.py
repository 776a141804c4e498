import numpy as np

MASKED_SCORE = -1e9


def softmax(x, axis=-1):
    m = np.max(x, axis=axis, keepdims=True)
    e = np.exp(x - m)
    return e / np.sum(e, axis=axis, keepdims=True)


def attention(Q, K, V, mask=None):
    scores = Q.astype(np.float64).dot(K.T.astype(np.float64))
    scores *= 1 / np.sqrt(Q.shape[1])
    if mask is not None:
        scores[mask] = MASKED_SCORE
    return softmax(scores).dot(V.astype(np.float64))
