import numpy as np


def causal_mask(seq_len):
    return np.array([[j > i for j in range(seq_len)] for i in range(seq_len)])
