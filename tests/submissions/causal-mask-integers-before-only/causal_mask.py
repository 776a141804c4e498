import numpy as np


def causal_mask(seq_len):
    rows = []
    for i in range(seq_len):
        rows.append([1] * i + [0] * (seq_len - i))
    return np.array(rows)
