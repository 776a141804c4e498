import numpy as np


def causal_mask(seq_len):
    ones = np.ones((seq_len, seq_len), dtype=bool)
    return np.triu(ones, k=2)
