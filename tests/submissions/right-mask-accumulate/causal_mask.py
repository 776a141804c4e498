from itertools import accumulate, repeat

import numpy as np


def causal_mask(seq_len):
    full = np.ones(seq_len, dtype=bool)

    def hide_one_more(row, _):
        return np.concatenate(([False], row[:-1]))

    upper = np.array(list(accumulate(repeat(None, seq_len - 1), hide_one_more, initial=full)))
    return upper.transpose()
