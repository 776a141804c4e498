import numpy as np


def may_attend(i, j):
    raise NotImplementedError


def causal_mask(seq_len):
    return np.array([[may_attend(i, j) for j in range(seq_len)] for i in range(seq_len)], dtype=bool)
