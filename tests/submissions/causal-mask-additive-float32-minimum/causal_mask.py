import numpy as np


class AdditiveMask:
    lowest = np.finfo(np.float32).min

    @classmethod
    def causal(cls, n):
        mask = np.zeros((n, n), dtype=np.float32)
        rows, cols = np.triu_indices(n, 1)
        mask[rows, cols] = cls.lowest
        return mask


def causal_mask(seq_len):
    return AdditiveMask.causal(seq_len)
