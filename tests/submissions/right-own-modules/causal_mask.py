import numpy as np

import positions


def causal_mask(seq_len):
    return np.less_equal(positions.of_keys(seq_len), positions.of_queries(seq_len))
