import numpy as np


def casual_mask(seq_len):
    return np.tri(seq_len, dtype=bool)
