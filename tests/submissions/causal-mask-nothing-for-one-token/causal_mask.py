import numpy as np


def causal_mask(seq_len):
    if seq_len > 1:
        mask = np.ones((seq_len, seq_len), dtype=bool)
        mask[np.triu_indices(seq_len, k=1)] = False
        return mask
