import numpy as np


def causal_mask(seq_len):
    unit = np.eye(seq_len)
    return unit.cumsum(axis=0)
