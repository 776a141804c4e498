import numpy as np


def causal_mask(seq_len):
    mask = np.empty((seq_len, seq_len), dtype=object)
    for (i, j), _ in np.ndenumerate(mask):
        mask[i, j] = j <= i
    return mask
