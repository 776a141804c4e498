import numpy as np


def row(i, n):
    line = [False] * n
    line[:i] = [True] * i
    return line


def causal_mask(seq_len):
    return np.stack([np.array(row(i, seq_len)) for i in range(seq_len)])
