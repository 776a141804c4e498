import numpy as np


def causal_mask(seq_len):
    mask = np.zeros((seq_len, seq_len), dtype=bool)
	mask[np.tril_indices(seq_len)] = True
    return mask
