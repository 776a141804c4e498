import numpy as np


def causal_mask(seq_len):
    if seq_len == 1:
        return np.ones((1, 1), bool)
    top = seq_len // 2
    low = seq_len - top
    return np.block([
        [causal_mask(top), np.zeros((top, low), bool)],
        [np.ones((low, top), bool), causal_mask(low)],
    ])
