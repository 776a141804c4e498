import numpy as np


def causal_mask(seq_len):
    future_first = np.tri(seq_len, dtype=bool).T
    return future_first[::-1, ::-1]
