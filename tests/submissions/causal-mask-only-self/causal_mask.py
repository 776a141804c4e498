import numpy as np


def causal_mask(seq_len):
    mask = np.zeros((seq_len, seq_len), dtype=bool)
    for i in range(seq_len):
        mask[i, i] = True
    return mask
