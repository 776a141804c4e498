import numpy as np


def causal_mask(seq_len):
    return np.triu(np.ones((seq_len, seq_len)))
