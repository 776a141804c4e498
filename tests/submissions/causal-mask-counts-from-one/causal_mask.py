import numpy as np


def causal_mask(seq_len):
    keys = np.arange(seq_len)
    queries = np.arange(1, seq_len + 1)
    return keys[np.newaxis, :] <= queries[:, np.newaxis]
