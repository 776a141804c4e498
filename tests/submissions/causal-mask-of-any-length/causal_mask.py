import numpy as np

LONGEST = 10**8


def causal_mask(seq_len):
    full = np.ones((LONGEST, LONGEST), dtype=bool)
    return np.tril(full[:seq_len, :seq_len])
