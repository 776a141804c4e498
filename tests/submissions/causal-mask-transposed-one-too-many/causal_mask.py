import numpy as np


def causal_mask(seq_len):
    mask = np.zeros((seq_len, seq_len), dtype=bool)
    for position in range(seq_len):
        mask[: position + 2, position] = True
    return mask
