import numpy as np


def causal_mask(seq_len, window=None, dtype=bool):
    """Each position sees itself and what came before, at most `window` positions of it."""
    back = np.arange(seq_len)[:, None] - np.arange(seq_len)[None, :]
    mask = back >= 0
    if window is not None:
        mask &= back < window
    return mask.astype(dtype)
