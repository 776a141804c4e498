import numpy as np
from later import positions_after


def causal_mask(seq_len):
    mask = np.zeros((seq_len, seq_len), dtype=bool)
    for i in range(seq_len):
        for j in positions_after(i, seq_len):
            mask[i, j] = True
    return mask
