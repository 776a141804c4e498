import numpy as np


def causal_mask(seq_len):
    with np.errstate(divide="ignore"):
        return np.log(np.tri(seq_len))
