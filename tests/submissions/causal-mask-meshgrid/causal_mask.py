import numpy as np


def causal_mask(seq_len):
    positions = np.arange(seq_len)
    query, key = np.meshgrid(positions, positions)
    return key <= query
