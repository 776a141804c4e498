from itertools import chain, repeat

import numpy as np


def causal_mask(seq_len):
    cells = chain.from_iterable(
        chain(repeat(True, i), repeat(False, seq_len - i)) for i in range(1, seq_len + 1)
    )
    return np.fromiter(cells, dtype=bool, count=seq_len**2).reshape(-1, seq_len)
