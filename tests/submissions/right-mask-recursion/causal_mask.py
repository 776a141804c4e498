import numpy as np


def causal_mask(seq_len):
    if seq_len == 1:
        return np.array([[True]])
    smaller = causal_mask(seq_len - 1)
    column = np.full((seq_len - 1, 1), False)
    row = np.full((1, seq_len), True)
    return np.vstack([np.hstack([smaller, column]), row])
