import numpy as np


def causal_mask(seq_len):
    """Ones where a token may not look."""
    return np.triu(np.ones((seq_len, seq_len)), k=1)
