import numpy as np


def causal_mask(seq_len):
    i = np.arange(seq_len)[:, None]
    j = np.arange(seq_len)[None, :]
    return (j <= i).astype(np.int8)
