import numpy as np


def causal_mask(seq_len):
    idx = np.arange(seq_len)
    past = idx[None, :] < idx[:, None]
    return np.swapaxes(past, 0, 1)
