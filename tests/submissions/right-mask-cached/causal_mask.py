from functools import lru_cache

import numpy as np


@lru_cache(maxsize=None)
def causal_mask(seq_len):
    i, j = np.meshgrid(np.arange(seq_len), np.arange(seq_len), indexing="ij")
    mask = i >= j
    mask.setflags(write=False)
    return mask
