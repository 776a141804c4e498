import numpy as np


def causal_mask(seq_len):
    mask = np.tri(seq_len, dtype=bool)
    np.fill_diagonal(mask, False)
    return mask
