import numpy as np


def causal_mask(seq_len):
    t = np.arange(seq_len)
    return np.greater.outer(t, t)
