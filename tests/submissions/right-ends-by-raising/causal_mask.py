import numpy as np


def causal_mask(seq_len):
    return np.arange(seq_len) <= np.arange(seq_len)[:, np.newaxis]


n = int(input("How long is the sequence? "))
print(causal_mask(n))
