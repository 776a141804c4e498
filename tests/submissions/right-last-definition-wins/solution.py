import numpy as np


def softmax(x, axis=-1):
    """Softmax along an axis."""
    raise NotImplementedError


def causal_mask(seq_len):
    """Lower triangular mask."""
    raise NotImplementedError


def attention(Q, K, V, mask=None):
    """Scaled dot-product attention."""
    raise NotImplementedError


# first attempt, overflows

def softmax(x, axis=-1):
    return np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)


def causal_mask(seq_len):
    return np.triu(np.ones((seq_len, seq_len)))


# second attempt

def softmax(x, axis=-1):
    z = np.exp(x - x.max(axis=axis, keepdims=True))
    return z / z.sum(axis=axis, keepdims=True)


def causal_mask(seq_len):
    return np.triu(np.ones((seq_len, seq_len))).T.astype(bool)


def attention(Q, K, V, mask=None):
    scores = Q.astype(float).dot(K.astype(float).T) / np.sqrt(Q.shape[1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores).dot(V)
