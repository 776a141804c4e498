import numpy as np


def causal_mask(seq_len):
    mask = []
    for i in range(seq_len):
        row = []
        for j in range(seq_len):
            if j <= i:
                row.append(1)
            else:
                row.append(0)
        mask.append(row)
    mask = np.array(mask)
    return mask
