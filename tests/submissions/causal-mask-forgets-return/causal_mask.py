import numpy as np


def causal_mask(seq_len):
    mask = np.tril(np.ones((seq_len, seq_len), dtype=bool))
    mask.sum()
