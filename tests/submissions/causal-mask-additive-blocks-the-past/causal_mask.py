import numpy as np


def causal_mask(seq_len):
    query = np.arange(seq_len).reshape(-1, 1)
    key = np.arange(seq_len).reshape(1, -1)
    return np.where(key <= query, -1e9, 0)
