import numpy as np


def causal_mask(seq_len):
    i = np.arange(seq_len)
    return i[:, None] >= i[None, :]
