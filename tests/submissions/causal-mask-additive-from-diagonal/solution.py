import numpy as np


def causal_mask(seq_len):
    return np.triu(np.full((seq_len, seq_len), float("-inf")))
