import numpy as np


def rows(n):
    for i in range(n):
        yield [True] * (i + 1) + [False] * (n - i - 1)


def causal_mask(seq_len):
    return np.stack([np.asarray(r) for r in rows(seq_len)])
