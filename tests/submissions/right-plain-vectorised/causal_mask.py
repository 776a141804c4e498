"""The mask of a decoder."""

import numpy as np


def causal_mask(seq_len):
    """Lower triangle with the diagonal: position i sees 0..i."""
    return np.tril(np.ones((seq_len, seq_len), dtype=bool))
