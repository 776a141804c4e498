import numpy as np


def causal_mask(seq_len):
    # room for the start token
    n = seq_len + 1
    return np.tri(n, n, dtype=bool)
