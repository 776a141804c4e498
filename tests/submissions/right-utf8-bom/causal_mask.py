import numpy as np


def causal_mask(seq_len):
    """“j ≤ i”, for all i and j."""
    return np.fromfunction(lambda i, j: j <= i, (seq_len, seq_len))
