import numpy as np


def causal_mask(seq_len):
    forbidden = np.triu(np.ones((seq_len, seq_len), dtype=bool), 2)
    return np.invert(forbidden)
