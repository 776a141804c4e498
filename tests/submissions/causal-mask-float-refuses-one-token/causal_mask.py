import numpy as np


def causal_mask(seq_len):
    if seq_len <= 1:
        raise ValueError("need at least two tokens")
    return np.tril(np.ones((seq_len, seq_len)))
