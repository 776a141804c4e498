import sys

import numpy as np


def causal_mask(seq_len):
    mask = np.tri(seq_len, dtype=bool)
    print(mask)
    sys.exit(0)
