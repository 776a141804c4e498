from itertools import product

import numpy as np


def causal_mask(seq_len):
    pairs = product(range(seq_len), repeat=2)
    return np.array([key <= query for query, key in pairs])
