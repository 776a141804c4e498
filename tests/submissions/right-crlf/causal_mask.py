import numpy as np


def causal_mask(seq_len):
    mask = np.zeros((seq_len, seq_len), dtype=bool)
    i = 0
    while i < seq_len:
        mask[i, 0:i + 1] = True
        i += 1
    return mask
