import numpy as np


def strictly_before(n):
    return np.tril(np.ones((n, n), bool), k=-1)


def causal_mask(seq_len):
    return ~strictly_before(seq_len)
