import numpy as np


def causal_mask(seq_len):
    return np.ones((seq_len, seq_len), dtype=bool)
