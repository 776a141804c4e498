import numpy as np


def causal_mask(seq_len):
    assert seq_len >= 2, "a sequence has at least two tokens"
    return np.tril(np.ones((seq_len, seq_len), dtype=bool))
