import numpy as np


def causal_mask(seq_len):
    return np.greater_equal.outer(np.arange(seq_len), np.arange(seq_len))
