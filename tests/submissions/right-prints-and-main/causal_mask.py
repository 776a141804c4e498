import numpy as np


def causal_mask(seq_len):
    return np.tri(seq_len) > 0


for n in (1, 2, 3):
    print(causal_mask(n).astype(int))
