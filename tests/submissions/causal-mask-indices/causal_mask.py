import numpy as np


def causal_mask(seq_len):
    return np.tril_indices(seq_len)
