import numpy as np


def causal_mask(seq_len):
    steps = np.ma.arange(seq_len)
    return steps[:, None] >= steps[None, :]
