import numpy as np


def causal_mask(seq_len):
    future = np.triu(np.ones((seq_len, seq_len), dtype=bool), k=1)
    return ~future
