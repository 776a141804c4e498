import numpy as np


def causal_mask(seq_len):
    """Boolean mask, True where a token may attend."""
    return None
