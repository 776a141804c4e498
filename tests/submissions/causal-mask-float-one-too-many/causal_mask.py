import numpy as np


def causal_mask(seq_len):
    return np.tri(seq_len, seq_len, 1)
