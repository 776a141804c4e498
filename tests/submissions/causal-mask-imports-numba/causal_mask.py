import numpy as np
from numba import njit


@njit
def causal_mask(seq_len):
    mask = np.zeros((seq_len, seq_len), dtype=np.bool_)
    for i in range(seq_len):
        for j in range(i + 1):
            mask[i, j] = True
    return mask
