import numpy as np


def softmax(x, axis=-1):
    num = np.exp(x)
    den = num.sum(axis=axis, keepdims=True)
    return num / den


def causal_mask(seq_len):
    return np.tri(seq_len, dtype=int)
