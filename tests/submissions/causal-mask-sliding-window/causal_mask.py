import numpy as np


def causal_mask(seq_len):
    i, j = np.indices((seq_len, seq_len))
    return (j <= i) & (i - j < 3)
