import numpy as np


def causal_mask(seq_len):
    position = np.arange(seq_len, dtype=np.float64)
    return np.subtract.outer(position, position) >= 0.0
