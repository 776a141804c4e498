import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def causal_mask(seq_len):
    """Row i is a window into 11...100...0, one step further left than the row before."""
    n = int(seq_len)
    strip = np.r_[np.ones(n, dtype=bool), np.zeros(n - 1, dtype=bool)]
    return sliding_window_view(strip, n)[::-1]
