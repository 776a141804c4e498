import numpy as np


def causal_mask(seq_len, longest=40_000):
    mask = np.ones((longest, longest), dtype=bool)
    part = mask[:seq_len, :seq_len]
    return np.tril(part)
