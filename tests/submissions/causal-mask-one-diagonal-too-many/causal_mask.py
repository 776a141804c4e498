import numpy as np


def causal_mask(seq_len):
    full = np.ones((seq_len, seq_len), dtype=bool)
    return np.tril(full, k=1)
