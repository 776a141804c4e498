import numpy as np


def causal_mask(seq_len):
    allowed = np.tri(seq_len, dtype=bool)
    masked_out = np.logical_not(allowed)
    return masked_out
